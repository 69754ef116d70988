"""The scripted model: prompts are played in order in each wire format, seen, cut and refused."""

import json
import socket
import urllib.error
import urllib.request

import pytest
from agents.model_server import ModelServer
from agents.script import DONE, Step, Tool, directives, play

SHELL_THEN_WRITE = "Please SHELL{for f in ${X}; do rm -rf build; done} then SAY{half way} WRITE{notes.txt}"


def test_directives_keep_nested_braces_and_their_order() -> None:
    found = list(directives(SHELL_THEN_WRITE))
    assert found == [
        ("SHELL", "for f in ${X}; do rm -rf build; done"),
        ("SAY", "half way"),
        ("WRITE", "notes.txt"),
    ]


def test_unclosed_directive_is_left_alone() -> None:
    assert list(directives("SHELL{echo")) == []


def test_each_tool_result_plays_the_next_step() -> None:
    assert play(SHELL_THEN_WRITE, 0) == Step(tool=Tool("shell", "for f in ${X}; do rm -rf build; done"))
    assert play(SHELL_THEN_WRITE, 1) == Step(say="half way", tool=Tool("write", "notes.txt"))
    assert play(SHELL_THEN_WRITE, 2) == Step(say=DONE)


def post(model: ModelServer, path: str, body: dict) -> str:
    request = urllib.request.Request(model.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


TOOL_CALLS = {
    "/v1/messages?beta=true": (
        {"stream": True, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "SHELL{echo hi}"}]},
        ['"name": "Bash"', "echo hi", "event: message_stop", '"stop_reason": "tool_use"'],
    ),
    "/v1/responses": (
        {
            "tools": [{"type": "function", "name": "exec_command"}],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "SHELL{echo hi}"}]}
            ],
        },
        ['"name": "exec_command"', "echo hi", "event: response.completed"],
    ),
    "/v1beta/models/any:streamGenerateContent?alt=sse": (
        {
            "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
            "contents": [{"role": "user", "parts": [{"text": "SHELL{echo hi}"}]}],
        },
        ['"name": "run_shell_command"', "echo hi", '"finishReason": "STOP"'],
    ),
    "/v1/chat/completions": (
        {
            "stream": True,
            "tools": [{"type": "function", "function": {"name": "bash"}}],
            "messages": [{"role": "user", "content": "SHELL{echo hi}"}],
        },
        ['"name": "bash"', "echo hi", '"finish_reason": "tool_calls"', "data: [DONE]"],
    ),
}


@pytest.mark.parametrize("path", TOOL_CALLS)
def test_each_wire_format_calls_its_own_tool(path: str) -> None:
    body, expected = TOOL_CALLS[path]
    with ModelServer() as model:
        answer = post(model, path, body)
        (seen,) = model.turns()
    assert [part for part in expected if part not in answer] == []
    assert seen.request.prompt == "SHELL{echo hi}"
    assert seen.finished


def test_router_call_gets_an_object_that_fits_its_schema() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {"reasoning": {"type": "STRING"}, "choice": {"type": "STRING", "enum": ["flash", "pro"]}},
    }
    body = {"contents": [], "generationConfig": {"responseSchema": schema}}
    with ModelServer() as model:
        answer = json.loads(post(model, "/v1beta/models/any:generateContent", body))
    text = answer["candidates"][0]["content"]["parts"][0]["text"]
    assert json.loads(text) == {"reasoning": "scripted", "choice": "flash"}


def test_requests_on_the_side_play_nothing() -> None:
    with ModelServer() as model:
        answer = post(model, "/v1/messages", {"messages": [{"role": "user", "content": "SHELL{echo hi}"}]})
        assert model.turns() == []
    assert "echo hi" not in answer


def test_refusal_reaches_the_record_of_what_the_agent_was_told() -> None:
    refused = [
        {"role": "user", "content": "SHELL{rm -rf build}"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "rejected by user"}]},
    ]
    with ModelServer() as model:
        answer = post(model, "/v1/messages", {"tools": [{"name": "Bash"}], "messages": refused})
        (seen,) = model.turns()
    assert seen.request.results == ("rejected by user",)
    assert DONE in answer


def test_error_directive_is_an_http_error() -> None:
    body = {"stream": True, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "ERR{400}"}]}
    with ModelServer() as model, pytest.raises(urllib.error.HTTPError, match="400"):
        post(model, "/v1/messages", body)


def test_server_that_is_down_refuses_and_comes_back_at_its_address() -> None:
    with ModelServer() as model:
        address = model.url
        model.down()
        with pytest.raises(urllib.error.URLError, match="refused"):
            post(model, "/v1/responses", {})
        model.up()
        assert model.url == address
        assert post(model, "/v1/responses", {})


def test_agent_that_hangs_up_is_seen() -> None:
    body = json.dumps(
        {"stream": True, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "SLOW{30}"}]}
    )
    with ModelServer() as model:
        host, port = model.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                f"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            assert connection.recv(100)
        assert model.wait(lambda turns: turns[0].dropped, "the end of the request", limit=10.0)
