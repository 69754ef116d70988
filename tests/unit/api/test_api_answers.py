"""Faults as sentences, limits of bodies, and exactly what reaches the service."""

from collections.abc import Iterator

import pytest
from api_rig import Rig, running
from fake_service import gate

INJECT = {"project": "p-1", "agent": "a-1", "message": "go"}
RESOLVE = "/api/projects/p-1/agents/a-1/gate/resolve"


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with running() as one:
        yield one


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "word"),
    [
        ("GET", "/nowhere", None, 404, "nothing"),
        ("PATCH", "/api/projects", None, 405, "method"),
        ("GET", "/api/projects/", None, 404, "nothing"),
        ("POST", "/org/inject", b"{not json", 400, "JSON"),
        ("POST", "/org/inject", b"\xff\xfe", 400, "JSON"),
        ("POST", "/org/inject", b"", 400, "missing"),
        ("POST", "/org/inject", b"[]", 400, "body"),
        ("POST", "/org/inject", {"project": "p-1", "agent": "a-1"}, 400, "message is missing"),
        ("POST", "/org/inject", {**INJECT, "extra": 1}, 400, "extra is not known"),
        ("POST", "/org/inject", {**INJECT, "message": "x" * 1_000_000}, 400, "too long"),
        ("POST", "/org/inject", {**INJECT, "message": " \n"}, 400, "empty"),
        ("POST", "/org/inject", {**INJECT, "message": 7}, 400, "string"),
        ("POST", "/org/inject", {**INJECT, "message": "a\u0000b"}, 400, "zero byte"),
        ("POST", "/org/inject", {**INJECT, "message": "x" * 2_100_000}, 413, "too large"),
        ("POST", "/org/inject", b"x" * 5_000_000, 413, "too large"),
        ("POST", RESOLVE, {"decision": "approve"}, 400, "gateId is missing"),
        ("POST", RESOLVE, {"gateId": "g-1", "decision": "yes"}, 400, "approve"),
        ("POST", RESOLVE, {"gateId": "g-1", "decision": "custom"}, 400, "customInput"),
        ("POST", RESOLVE, {"gateId": "g-1", "decision": "approve", "customInput": "n"}, 400, "customInput"),
        ("POST", RESOLVE, {"gateId": "g-404", "decision": "reject"}, 404, "g-404"),
        ("GET", "/api/sessions?limit=0", None, 400, "limit"),
        ("GET", "/api/sessions?limit=all", None, 400, "limit"),
        ("GET", "/api/events?after=x", None, 400, "after"),
        ("POST", "/api/voice/sessions/v-1/reading", {}, 400, "planId"),
        ("POST", "/api/voice/sessions/v-1/heard", {"text": "a", "confidence": 2}, 400, "confidence"),
        ("POST", "/api/projects/p-1/agents/a-1/terminal/keys", {"data": "not base64!"}, 400, "base64"),
    ],
)
def test_fault_is_one_sentence(rig: Rig, method: str, path: str, body: object, status: int, word: str) -> None:
    got, told, headers = rig.ask(method, path, body)
    assert (got, list(told)) == (status, ["error"])
    assert word in told["error"]
    assert told["error"].endswith(".")
    assert len(told["error"]) < 400
    assert "content-security-policy" in headers


def test_body_of_another_type_is_refused(rig: Rig) -> None:
    before = len(rig.service.named("inject"))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        status, told, _ = rig.ask("POST", "/org/inject", INJECT, headers={"Content-Type": kind})
        assert (status, list(told)) == (400, ["error"])
    assert len(rig.service.named("inject")) == before


def test_conflict_tells_what_was_decided(rig: Rig) -> None:
    rig.service.gates = [gate("g-7")]
    assert rig.ask("POST", RESOLVE, {"gateId": "g-7", "decision": "reject"})[0] == 200
    status, told, _ = rig.ask("POST", RESOLVE, {"gateId": "g-7", "decision": "approve"})
    assert (status, told["details"]["decision"]) == (409, "reject")


def test_bodies_arrive_as_keywords(rig: Rig) -> None:
    rig.service.gates = [gate("g-8")]
    body = {"gateId": "g-8", "decision": "custom", "customInput": " 2\n", "requestId": "q-1", "voiceSession": "v-1"}
    assert rig.ask("POST", RESOLVE, body, headers={"X-Conduit-Via": "web"})[0] == 200
    assert rig.service.named("resolve")[-1] == {
        "project_id": "p-1",
        "agent_id": "a-1",
        "gate_id": "g-8",
        "decision": "custom",
        "custom_input": " 2\n",
        "request_id": "q-1",
        "voice_session": "v-1",
        "via": "web",
    }
    rig.ask("PUT", "/api/projects/p-1", {"description": None})
    assert rig.service.named("update_project")[-1] == {"project_id": "p-1", "description": None}
    rig.ask("PUT", "/api/voice/state", {"timingsMs": {"vad": 12.5}})
    assert rig.service.named("voice_state")[-1] == {"timings_ms": {"vad": 12.5}}


def test_text_that_is_no_text_still_leaves_as_json(rig: Rig) -> None:
    """An agent may print half of a surrogate pair; the answer has to arrive all the same."""
    rig.service.entries = [{"id": "c-1", "text": "half \ud83d pair \u2028 <script>"}]
    status, told, _ = rig.ask("GET", "/api/projects/p-1/groupchat")
    assert (status, told[0]["text"]) == (200, "half \ud83d pair \u2028 <script>")
