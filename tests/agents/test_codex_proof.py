"""Codex, the real program, through the engine."""

import pytest
from agents.proof import StructuredProof

pytestmark = [pytest.mark.agents, pytest.mark.system]


class TestCodex(StructuredProof):
    cli = "codex"
    edit_flags = ("--sandbox", "read-only")
    store = (".codex/sessions", ".codex/state_5.sqlite*")
