"""Consent by voice: whether a person said yes to exactly this, after hearing all of it."""

from engine.gates.consent.readings import Heard, Reading, Subject, gate_subject, plan_subject
from engine.gates.consent.sentence import Verdict, classify
from engine.gates.consent.session import VoiceSessions

__all__ = ["Heard", "Reading", "Subject", "Verdict", "VoiceSessions", "classify", "gate_subject", "plan_subject"]
