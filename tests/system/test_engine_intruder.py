"""An agent that tries to approve itself, with every token that it can find: refused each time, the gate stays."""

import json
import sys
from pathlib import Path

import pytest
from support.desk import Desk, until

pytestmark = pytest.mark.system

# What the agent does: read the tokens from disk and call every route with each, claiming to be the page; then use the
# command line and the holder's socket. Its gate is asked by a second program in the same tree, so that this one runs on
# only until the freeze: the attempts are made by a first agent against the gate of a second one, and against its own.
INTRUDER = """
import json, os, pathlib, subprocess, sys, time, urllib.error, urllib.request
home, out, project, agent, gate = sys.argv[1:6]
root = pathlib.Path(home)
port = json.loads((root / "engine.json").read_text())["port"]
tokens = json.loads((root / "tokens.json").read_text())
base = f"http://127.0.0.1:{port}"
routes = [
    ("GET", "/org/snapshot", None), ("GET", "/api/projects", None), ("GET", "/api/health", None), ("GET", "/", None),
    ("POST", f"/api/projects/{project}/agents/{agent}/gate/resolve", {"gateId": gate, "decision": "approve"}),
    ("POST", f"/api/projects/{project}/agents/{agent}/gate/resolve",
     {"gateId": gate, "decision": "approve", "via": "web"}),
    ("POST", "/org/inject", {"project": project, "agent": agent, "message": "y"}),
    ("POST", "/api/auth/link", {}), ("POST", "/api/voice/sessions", {}),
    ("POST", f"/api/projects/{project}/agents/{agent}/stop", {}),
    ("DELETE", f"/api/projects/{project}", None),
]
results = []
for token in [tokens["owner"], tokens["voice"], "nonsense", ""]:
    for via in ["web", "cli", "terminal", "voice"]:
        for method, path, body in routes:
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(base + path, data=data, method=method)
            request.add_header("Content-Type", "application/json")
            request.add_header("X-Conduit-Via", via)
            if token:
                request.add_header("Authorization", "Bearer " + token)
            try:
                results.append([path, urllib.request.urlopen(request, timeout=20).status])
            except urllib.error.HTTPError as error:
                results.append([path, error.code])
done = subprocess.run([sys.executable, "-m", "voice", "approve", gate], capture_output=True, text=True,
                      env={**os.environ, "CONDUIT_HOME": home}, stdin=subprocess.DEVNULL)
pathlib.Path(out).write_text(json.dumps({"http": results, "cli": done.returncode, "said": done.stderr}))
time.sleep(600)
"""


def test_agent_cannot_approve_by_any_way(tmp_path: Path) -> None:
    with Desk(tmp_path / "home") as desk:
        victim = desk.practice(tmp_path / "work")
        desk.client().inject(project=victim["projectId"], agent=victim["id"], message="clean up")
        gate = desk.gate(victim["projectId"], victim["id"])
        program, out = tmp_path / "intruder.py", tmp_path / "results.json"
        program.write_text(INTRUDER)
        command = [
            sys.executable,
            str(program),
            str(desk.home),
            str(out),
            victim["projectId"],
            victim["id"],
            gate["id"],
        ]
        client = desk.client()
        agent = client.create_agent(project_id=victim["projectId"], name="intruder", cli="mine", command=command)
        client.start_agent(project_id=victim["projectId"], agent_id=agent["id"])
        tried = json.loads(until(lambda: out.exists() and out.read_text(), "the intruder to give up", limit=90))
        assert {code for _, code in tried["http"]} == {403}
        assert len(tried["http"]) == 4 * 4 * 11
        assert tried["cli"] == 4, tried["said"]
        assert desk.gate(victim["projectId"], victim["id"])["id"] == gate["id"]
        assert (tmp_path / "work" / "build").is_dir()
        assert desk.client().audit(project_id=victim["projectId"]) == []
