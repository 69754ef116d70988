"""Shells and what makes a shell of a text: ``bash -c``, scripts, ``eval``, ``source``, ``ssh``, ``trap``."""

import re

from engine.gates.sources.command import options, paths
from engine.gates.sources.command.call import Bench, Call, Feed, Scope, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word

_ROUTINE_NAMES = re.compile(
    r"(^|[-_./])(tests?|lint|build|check|format|fmt|ci|typecheck|bench|coverage|verify|unit|e2e|gradlew|mvnw|configure|autogen|dev|serve|start)([-_.]|$)",
    re.I,
)
_LOCAL = frozenset(("localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal"))


def shell(call: Call, bench: Bench) -> list[Finding]:
    """``sh``, ``bash`` and the rest."""
    got = options.parse(call.args, ("c", "o", "O", "rcfile", "init-file", "Command", "EncodedCommand"), stop_early=True)
    if got.has("version", "help"):
        return []
    text = got.values.get("c")
    if text:
        return _text(text[-1], call.scope.fork(), bench, call.stdin)
    if "n" in got.short and got.operands:
        return []
    if got.operands and got.operands[0].text != "-" and not (got.has("s") and call.stdin is not None):
        return script(got.operands[0], call, bench)
    return _from_input(call, bench)


def _text(word: Word, scope: Scope, bench: Bench, stdin: Feed | None) -> list[Finding]:
    bench.nested(word.text, scope, stdin)
    bare = re.sub(r"\{\}", "", word.text)
    return [] if word.known or re.match(r"[\w./-]+ ", bare) else [unknown(word.text)]


def _from_input(call: Call, bench: Bench) -> list[Finding]:
    feed = call.stdin
    if feed is None:
        return []
    if feed.text is not None:
        bench.nested(feed.text, call.scope.fork())
        return []
    return [fetched(call.name)] if feed.taint == "remote" else [unknown(f"{call.name} reading its input")]


def fetched(name: str) -> Finding:
    """Something downloaded and run at once."""
    return found("execute", (name,), "remote", "download_and_run")


def script(word: Word, call: Call, bench: Bench) -> list[Finding]:
    """A script: judged by what stands in it now."""
    if word.text.startswith(("<(", "$(", "`")):
        remote = re.search(r"\b(curl|wget|fetch)\b", word.text) is not None
        return [fetched(call.name) if remote else unknown(word.text)]
    target = resolve(word, call.scope, bench.where)
    if target.path is None or not word.known:
        return [unknown(word.text)]
    bench.scripts.append(target.path)
    text = bench.where.read_text(target.path)
    if text is None:
        return _unread(target.path, word.text, target.place == "project", bench)
    head = text.split("\n", 1)[0]
    if head.startswith("#!") and not re.search(r"\b(ba|z|da|k|a)?sh\b", head):
        return _other(head, text, word, call, bench)
    before = len(bench.findings)
    scope = call.scope.fork()
    bench.nested(text, scope)
    if len(bench.findings) > before or target.place not in ("project",):
        return [] if target.place == "project" else [unknown(word.text)]
    return [] if _ROUTINE_NAMES.search(paths.normal(word.text, "/")) else [_runs(word.text)]


def _runs(shown: str) -> Finding:
    return found("execute", (shown,), "project", "run_script", undo="unknown", noun="script")


def _unread(path: str, shown: str, own: bool, bench: Bench) -> list[Finding]:
    if own and not bench.where.exists(path) and _ROUTINE_NAMES.search(shown):
        return []
    return [unknown(shown)]


def _other(head: str, text: str, word: Word, call: Call, bench: Bench) -> list[Finding]:
    from engine.gates.sources.command.programs import interpreters

    if "python" in head:
        return interpreters.python_text(text, call, bench) or [_runs(word.text)]
    if re.search(r"\b(node|perl|ruby|php)\b", head):
        return interpreters.other_text(text, head.rsplit("/", 1)[-1].split()[-1]) or [_runs(word.text)]
    return [unknown(word.text)]


def source(call: Call, bench: Bench) -> list[Finding]:
    """``.`` and ``source``; a virtual environment's activate script is ordinary."""
    if not call.args:
        return []
    if re.search(r"(^|/)(bin|Scripts)/(activate(\.\w+)?)$", call.args[0].text):
        return []
    if re.search(r"(^|/)(\.bashrc|\.zshrc|\.profile|nvm\.sh|cargo/env|\.env(\.\w+)?)$", call.args[0].text):
        return []
    return script(call.args[0], call, bench)


def evaluate(call: Call, bench: Bench) -> list[Finding]:
    """``eval``: its words make a new line."""
    if not call.args:
        return []
    text = " ".join(call.texts)
    harmless = re.match(
        r"""^\s*"?\$\((ssh-agent|direnv hook|brew shellenv|pyenv init|rbenv init|opam env|fnm env|starship init)\b""",
        text,
    )
    if harmless is None:
        bench.nested(text, call.scope)
    return [] if all(w.known for w in call.args) or harmless is not None else [unknown(text)]


def trap(call: Call, bench: Bench) -> list[Finding]:
    """``trap 'command' SIGNAL`` runs later."""
    if len(call.args) > 1 and not call.args[0].text.startswith("-"):
        bench.nested(call.args[0].text, call.scope.fork())
    return []


def ssh(call: Call, bench: Bench) -> list[Finding]:
    """A command for another host; this very host is a way out of the tree."""
    takes = tuple("bcDEeFIiJLlmOopQRSWw")
    got = options.parse(call.args, takes, stop_early=True)
    runs_here = re.compile(r"(?i)(proxycommand|localcommand|permitlocalcommand)")
    results = [unknown(word.text) for word in got.values.get("o", []) if runs_here.match(word.text)]
    if not got.operands or (got.short & set("GQV") and len(got.operands) < 2):
        return results
    host = got.operands[0].text.rsplit("@", 1)[-1].removeprefix("ssh://").split(":")[0]
    if host in _LOCAL:
        results.append(found("escape", (host,), "system", "escape"))
    if len(got.operands) > 1:
        bench.nested(" ".join(w.text for w in got.operands[1:]), Scope(None))
    elif call.stdin is not None:
        results += _from_input(Call("ssh", (), Scope(None), call.stdin), bench)
    elif "N" not in got.short and "T" not in got.short and host not in _LOCAL:
        results.append(found("execute", (host,), "remote", "remote_shell"))
    return results


def local_program(call: Call, bench: Bench) -> list[Finding]:
    """``./something``: a script is read, a program is not."""
    word = Word(call.raw_name, "$" not in call.raw_name and "`" not in call.raw_name, bare=call.raw_name)
    target = resolve(word, call.scope, bench.where)
    if re.search(
        r"/(node_modules/\.bin|\.?venv/bin|env/bin|bin/Debug|target/(debug|release)|vendor/bin)/", "/" + call.raw_name
    ):
        inner = Call(call.name, call.args, call.scope, call.stdin, call.env, call.name, True)
        if target.place == "project" and not re.search(r"target/|bin/Debug", call.raw_name):
            bench.judge_call(bench, inner)
            return []
        return [_runs(call.raw_name)]
    return script(word, call, bench)
