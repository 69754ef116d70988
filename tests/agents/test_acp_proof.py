"""The agents of the Agent Client Protocol, the real programs, through the engine."""

import pytest
from agents.proof import StructuredProof

pytestmark = [pytest.mark.agents, pytest.mark.system, pytest.mark.timeout(240)]


class TestGemini(StructuredProof):
    cli = "gemini"
    flags = ("-m", "gemini-3.8-flash")
    store = (".gemini/tmp",)


class TestOpencode(StructuredProof):
    cli = "opencode"
    store = (".local/share/opencode",)
