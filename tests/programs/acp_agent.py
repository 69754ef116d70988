"""A small agent of the Agent Client Protocol. A prompt says what it does: ask, file, ask-and-file, long, fail."""

import json
import sys

WAITING: dict[object, str] = {}  # our request's id -> the prompt's id that waits for it
NUMBER = 0


def send(message: dict) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def say(text: str) -> None:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send({"method": "session/update", "params": {"sessionId": "s-1", "update": chunk}})


def request(method: str, params: dict, prompt: str) -> None:
    global NUMBER
    WAITING[NUMBER] = prompt
    send({"id": NUMBER, "method": method, "params": params})
    NUMBER += 1


def ask(prompt: str) -> None:
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    call = {"toolCallId": f"t{NUMBER}", "status": "pending", "title": "rm -rf build", "kind": "execute"}
    request("session/request_permission", {"sessionId": "s-1", "options": options, "toolCall": call}, prompt)


def file(prompt: str) -> None:
    request("fs/read_text_file", {"sessionId": "s-1", "path": "/etc/hostname"}, prompt)


def begin(prompt: str, text: str) -> None:
    if text == "ask":
        ask(prompt)
    elif text == "file":
        file(prompt)
    elif text == "ask-and-file":
        ask(prompt)
        file(prompt)
    elif text == "fail":
        send({"id": prompt, "error": {"code": -32603, "message": "the model said no"}})
    elif text != "long":
        end(prompt, f"heard {text}")


def end(prompt: str, text: str) -> None:
    say(text)
    send({"id": prompt, "result": {"stopReason": "end_turn"}})


def answered(message: dict) -> None:
    prompt = WAITING.pop(message["id"])
    say(f"answered {json.dumps(message.get('result') or message.get('error'))}; ")
    if prompt not in WAITING.values():
        end(prompt, "done")


def main() -> None:
    if "noisy" in sys.argv:
        print("this line is no message", flush=True)
    if "dying" in sys.argv:
        sys.exit("cannot read my settings")
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            abilities = {"loadSession": True}
            send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": abilities}})
        elif method == "session/new":
            send({"id": message["id"], "result": {"sessionId": "s-1"}})
        elif method == "session/load":
            send({"id": message["id"], "error": {"code": -32603, "message": "session not found"}})
        elif method == "session/prompt":
            begin(message["id"], message["params"]["prompt"][0]["text"])
        elif method is None:
            answered(message)


if __name__ == "__main__":
    main()
