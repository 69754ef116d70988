"""Who may reach what: every route with every kind of token, and the way that a decision is said to have come."""

from collections.abc import Iterator

import pytest
from api_rig import OWNER, VOICE, Rig, running
from fake_service import gate, plan

from engine.api.auth.access import check_access, via_of
from engine.api.auth.tokens import Identity
from engine.domain.errors import BadRequest, Forbidden

A = "/api/projects/p-1/agents/a-1"
MESSAGE = {"project": "p-1", "agent": "a-1", "message": "run the tests"}

# method, path, body, whether the voice may
ROUTES: list[tuple[str, str, object, bool]] = [
    ("GET", "/org/snapshot", None, True),
    ("GET", "/api/projects", None, True),
    ("POST", "/api/projects", {"name": "Apollo", "cwd": "/tmp"}, False),
    ("GET", "/api/projects/p-1", None, True),
    ("PUT", "/api/projects/p-1", {"name": "Gemini"}, False),
    ("DELETE", "/api/projects/p-1?removeData=true", None, False),
    ("GET", "/api/projects/p-1/agents", None, True),
    ("POST", "/api/projects/p-1/agents", {"name": "web", "cli": "mine", "command": ["sh"]}, False),
    ("GET", A, None, True),
    ("PUT", A, {"name": "web"}, False),
    ("DELETE", A, None, False),
    ("POST", f"{A}/start", None, True),
    ("POST", f"{A}/stop", None, True),
    ("POST", f"{A}/restart", None, True),
    ("POST", f"{A}/interrupt", None, True),
    ("GET", f"{A}/output?lines=3", None, True),
    ("GET", f"{A}/terminal?after=0", None, False),
    ("POST", f"{A}/terminal/keys", {"data": "eQ=="}, False),
    ("POST", f"{A}/terminal/size", {"rows": 40, "cols": 120}, False),
    ("POST", f"{A}/gate/g-1/reveal", None, False),
    ("POST", f"{A}/gate/resolve", {"gateId": "g-1", "decision": "reject"}, True),
    ("GET", "/api/projects/p-1/plans", None, True),
    ("POST", "/api/projects/p-1/plans", {"agent": "a-1", "description": "d", "message": "m"}, False),
    ("POST", "/api/projects/p-1/plans/pl-1/resolve", {"decision": "reject", "reason": "no"}, True),
    ("GET", "/api/projects/p-1/groupchat?limit=5", None, True),
    ("POST", "/api/projects/p-1/groupchat", {"text": "hello"}, True),
    ("GET", "/api/projects/p-1/audit?limit=5", None, True),
    ("GET", "/api/projects/p-1/documents", None, False),
    ("POST", "/api/projects/p-1/documents", {"title": "T", "file": "a.md", "data": "eQ=="}, False),
    ("GET", "/api/projects/p-1/documents/d-1", None, False),
    ("GET", "/api/projects/p-1/documents/d-1/content?version=1", None, False),
    ("POST", "/org/plan", {**MESSAGE, "description": "d"}, False),
    ("POST", "/org/inject", MESSAGE, True),
    ("POST", "/org/messages/m-1/cancel", None, True),
    ("POST", "/org/broadcast", {"project": "p-1", "message": "stop"}, True),
    ("GET", "/api/policy", None, True),
    ("POST", "/api/policy/confirm", {"digests": ["a" * 64]}, False),
    ("GET", "/api/sessions?limit=5", None, True),
    ("GET", "/api/sessions/S-12", None, True),
    ("DELETE", "/api/sessions/S-12", None, False),
    ("POST", "/api/sessions/S-12/resume", None, True),
    ("POST", "/api/sessions/S-12/halt", None, True),
    ("POST", "/api/sessions/S-12/cancel", None, False),
    ("POST", "/api/sessions/S-12/archive", {"archived": False}, False),
    ("POST", "/api/sessions/S-12/uploads", {"name": "a.txt", "data": "eQ=="}, False),
    ("GET", "/api/sessions/S-12/verify", None, False),
    ("POST", "/api/auth/link", None, False),
    ("POST", "/api/voice/sessions", None, True),
    ("POST", "/api/voice/sessions/v-1/reading", {"gateId": "g-1"}, True),
    ("POST", "/api/voice/sessions/v-1/played", {"readingId": "r-1"}, True),
    ("POST", "/api/voice/sessions/v-1/heard", {"text": "no", "confidence": 0.9, "receipt": None}, True),
    ("PUT", "/api/voice/state", {"listening": "asleep"}, True),
    ("POST", "/api/voice/command", {"action": "listen"}, True),
]


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with running() as one:
        yield one


@pytest.mark.parametrize(("method", "path", "body", "voice"), ROUTES, ids=[f"{r[0]} {r[1]}" for r in ROUTES])
def test_route_answers_only_the_kinds_of_token_that_may(
    rig: Rig, method: str, path: str, body: object, voice: bool
) -> None:
    agent = rig.tokens.mint_agent("run-1")
    _reset(rig, path)
    calls = len(rig.service.calls)
    refused = {
        "no token": rig.ask(method, path, body, token=None),
        "unknown token": rig.ask(method, path, body, token="x" * 43),
        "agent": rig.ask(method, path, body, token=agent),
        **({} if voice else {"voice": rig.ask(method, path, body, token=VOICE)}),
    }
    wanted = {"no token": 401, "unknown token": 401, "agent": 403, "voice": 403}
    assert {who: status for who, (status, _, _) in refused.items()} == {who: wanted[who] for who in refused}
    assert all(list(told) == ["error"] and told["error"].endswith(".") for _, told, _ in refused.values())
    assert len(rig.service.calls) == calls, "a refused request reached the service"
    if voice:
        assert rig.ask(method, path, body, token=VOICE)[0] == 200
        _reset(rig, path)
    assert rig.ask(method, path, body, token=OWNER)[0] == 200


def _reset(rig: Rig, path: str) -> None:
    rig.service.gates = [gate()] if "gate" in path else []
    rig.service.plans, rig.service.decided = [plan()], {}


def test_table_above_names_every_route_of_the_application(rig: Rig) -> None:
    from engine.api.app import _ROUTERS

    served = {
        (method, route.path)  # type: ignore[attr-defined]
        for router in _ROUTERS
        for route in router.routes
        for method in route.methods  # type: ignore[attr-defined]
    }
    tested = {(method, _template(path)) for method, path, _, _ in ROUTES}
    elsewhere = {("GET", "/"), ("GET", "/page/{}"), ("GET", "/api/health"), ("POST", "/api/auth/exchange")}
    elsewhere.add(("POST", "/org/hooks/{}/{}"))  # for an agent's own token alone
    assert {(m, _template(p)) for m, p in served} == tested | elsewhere | {("GET", "/api/events")}


def _template(path: str) -> str:
    ids = {"p-1", "a-1", "pl-1", "m-1", "v-1", "S-12", "d-1", "u-1", "g-1"}
    parts = path.split("?")[0].split("/")
    return "/".join("{}" if part in ids or part.startswith("{") else part for part in parts)


def test_health_and_page_need_no_token_and_tell_nothing_secret(rig: Rig) -> None:
    status, health, _ = rig.ask("GET", "/api/health", token=None)
    assert status == 200
    assert set(health) == {"ok", "version", "pid", "home", "startedAt"}
    for path in ("/", "/page/app.js", "/page/style.css", "/page/icon.svg"):
        status, content, headers = rig.ask("GET", path, token=None)
        assert status == 200
        assert OWNER.encode() not in content
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
    for missing in ("/docs", "/openapi.json", "/redoc"):
        assert rig.ask("GET", missing, token=None)[0] == 401
        assert rig.ask("GET", missing)[0] == 404
    assert rig.ask("GET", "/page/fake.py", token=None)[0] == 404


@pytest.mark.parametrize(
    ("token", "header", "via"),
    [
        (OWNER, None, "cli"),
        (OWNER, "web", "web"),
        (OWNER, "terminal", "terminal"),
        (VOICE, None, "voice"),
        (VOICE, "web", "voice"),
    ],
)
def test_via_of_a_decision_comes_from_the_kind_of_token(rig: Rig, token: str, header: str | None, via: str) -> None:
    rig.service.gates, rig.service.decided = [gate()], {}
    headers = {} if header is None else {"X-Conduit-Via": header}
    status, told, _ = rig.ask(
        "POST", f"{A}/gate/resolve", {"gateId": "g-1", "decision": "reject"}, token=token, headers=headers
    )
    assert (status, told["via"]) == (200, via)


def test_body_that_claims_another_way_is_refused_and_nothing_is_decided(rig: Rig) -> None:
    before = len(rig.service.named("resolve"))
    body = {"gateId": "g-1", "decision": "approve", "via": "web"}
    status, told, _ = rig.ask("POST", f"{A}/gate/resolve", body, token=VOICE)
    assert (status, "via" in told["error"]) == (400, True)
    for claimed in ("voice", "policy", "WEB", ""):
        headers = {"X-Conduit-Via": claimed}
        assert rig.ask("POST", f"{A}/gate/resolve", {"gateId": "g-1", "decision": "approve"}, headers=headers)[0] == 400
    assert len(rig.service.named("resolve")) == before


def test_voice_that_pretends_to_be_the_page_still_needs_consent(rig: Rig) -> None:
    rig.service.gates, rig.service.decided = [gate()], {}
    body = {"gateId": "g-1", "decision": "approve"}
    status, told, _ = rig.ask("POST", f"{A}/gate/resolve", body, token=VOICE, headers={"X-Conduit-Via": "web"})
    assert (status, told["condition"]) == (403, "not_read")
    assert len(rig.service.gates) == 1


def test_agent_token_reaches_only_its_own_hooks() -> None:
    own = Identity("agent", "run-1")
    check_access(own, "POST", "/org/hooks/run-1/permission")
    for path in ("/org/hooks/run-2/x", "/org/hooks/run-11", "/org/hooks", "/org/snapshot", "/org/hooks/run-1x/y"):
        with pytest.raises(Forbidden):
            check_access(own, "POST", path)


def test_agent_token_ends_with_its_attempt(rig: Rig) -> None:
    old = rig.tokens.mint_agent("run-9")
    new = rig.tokens.mint_agent("run-9")
    assert rig.ask("GET", "/org/snapshot", token=old)[0] == 401
    assert rig.ask("GET", "/org/snapshot", token=new)[0] == 403
    rig.tokens.revoke_agent("run-9")
    assert rig.ask("GET", "/org/snapshot", token=new)[0] == 401


def test_one_time_link_opens_once_within_its_minute(rig: Rig) -> None:
    code = rig.ask("POST", "/api/auth/link")[1]["code"]
    status, told, _ = rig.ask("POST", "/api/auth/exchange", {"code": code}, token=None)
    assert (status, told) == (200, {"token": OWNER})
    assert rig.ask("POST", "/api/auth/exchange", {"code": code}, token=None)[0] == 401
    late = rig.ask("POST", "/api/auth/link")[1]["code"]
    rig.clock.advance(60.0)
    assert rig.ask("POST", "/api/auth/exchange", {"code": late}, token=None)[0] == 401
    assert rig.ask("POST", "/api/auth/exchange", {"code": "é"}, token=None)[0] == 401


def test_via_header_given_twice_is_refused() -> None:
    with pytest.raises(BadRequest):
        via_of(Identity("owner"), "web, cli")
