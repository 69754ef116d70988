"""Judges commands, edits and tool calls by what they would do. Pure but for the Surroundings handed in."""

from engine.gates.sources.command.edits import judge_edit, judge_tool
from engine.gates.sources.command.judge import judge
from engine.gates.sources.command.judgement import Finding, JudgedTier, Judgement
from engine.gates.sources.command.speak import reason, spoken
from engine.gates.sources.command.surroundings import FakeSurroundings, RealSurroundings, Surroundings

__all__ = [
    "FakeSurroundings",
    "Finding",
    "JudgedTier",
    "Judgement",
    "RealSurroundings",
    "Surroundings",
    "judge",
    "judge_edit",
    "judge_tool",
    "reason",
    "spoken",
]
