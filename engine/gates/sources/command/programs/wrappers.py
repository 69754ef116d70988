"""Programs that run another program: peeled with their own options, then the inner command is judged."""

import re
from dataclasses import dataclass, replace

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call, Scope, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word, literal

_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "eval"))
_ASSIGN = re.compile(r"^[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Options that take a value, operands before the inner command, and what else the wrapper means."""

    values: tuple[str, ...] = ()
    skip: int = 0
    assigns: bool = False
    root: bool = False
    elsewhere: bool = False  # the inner command runs in another file system


WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper(
        ("u", "g", "h", "p", "C", "r", "t", "U", "R", "D", "T", "user", "group", "host", "chdir", "prompt"),
        assigns=True,
        root=True,
    ),
    "doas": Wrapper(("u", "C"), root=True),
    "pkexec": Wrapper(("user",), root=True),
    "run0": Wrapper(("u", "user"), root=True),
    "gosu": Wrapper((), 1, root=True),
    "env": Wrapper(("u", "unset", "C", "chdir", "S", "split-string"), assigns=True),
    "cross-env": Wrapper((), assigns=True),
    "nohup": Wrapper(),
    "time": Wrapper(("o", "f", "output", "format")),
    "gtime": Wrapper(("o", "f")),
    "timeout": Wrapper(("s", "k", "signal", "kill-after"), 1),
    "gtimeout": Wrapper(("s", "k"), 1),
    "nice": Wrapper(("n", "adjustment")),
    "ionice": Wrapper(("c", "n", "p", "class", "classdata")),
    "chrt": Wrapper((), 1),
    "taskset": Wrapper((), 1),
    "numactl": Wrapper(),
    "stdbuf": Wrapper(("i", "o", "e")),
    "unbuffer": Wrapper(),
    "setsid": Wrapper(),
    "exec": Wrapper(("a",)),
    "command": Wrapper(),
    "builtin": Wrapper(),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "caffeinate": Wrapper(("t", "w")),
    "xvfb-run": Wrapper(("s", "n", "e", "f")),
    "dbus-run-session": Wrapper(),
    "firejail": Wrapper(),
    "proot": Wrapper(("r", "b", "w")),
    "chroot": Wrapper(("userspec", "groups"), 1, root=True, elsewhere=True),
    "unshare": Wrapper(("map-users",)),
    "nsenter": Wrapper(("t", "target"), root=True),
    "strace": Wrapper(("o", "e", "p", "s", "u", "E", "P", "S", "a", "I", "b", "O", "X")),
    "ltrace": Wrapper(("o", "e", "p", "s", "u", "n")),
    "perf": Wrapper(("o", "e", "F", "g"), 1),
    "catchsegv": Wrapper(),
    "dotenv": Wrapper(("f", "e", "c", "v")),
    "direnv": Wrapper((), 2),
    "op": Wrapper(("env-file",), 1),
    "aws-vault": Wrapper(("d", "duration"), 2),
    "noglob": Wrapper(),
    "nocorrect": Wrapper(),
    "-": Wrapper(),
    "coproc": Wrapper(),
    "start-stop-daemon": Wrapper(("x", "exec", "p", "pidfile", "u")),
    "ts": Wrapper(),
    "chronic": Wrapper(),
    "sem": Wrapper(("j",)),
    "entr": Wrapper(("s",)),
    "nodemon": Wrapper(("w", "watch", "e", "ext", "i", "ignore")),
    "hyperfine_": Wrapper(),
}
# A tool's own word for "run this": uv run pytest, poetry run python x.py.
_RUNNERS: dict[tuple[str, str], tuple[str, ...]] = {
    ("uv", "run"): ("with", "python", "p", "extra", "group", "package", "env-file", "directory", "project"),
    ("poetry", "run"): (),
    ("pdm", "run"): (),
    ("hatch", "run"): (),
    ("rye", "run"): (),
    ("pipenv", "run"): (),
    ("bundle", "exec"): (),
    ("mise", "exec"): (),
    ("asdf", "exec"): (),
    ("coverage", "run"): ("source", "omit", "include", "rcfile"),
    ("conda", "run"): ("n", "name", "p"),
    ("yarn", "exec"): (),
    ("pnpm", "exec"): (),
    ("npm", "exec"): (),
}
_PYTHON_LIKE = frozenset(("coverage",))


def peel(call: Call, bench: Bench) -> list[Finding] | None:
    """Judge what a wrapper runs; None when ``call`` is no wrapper."""
    wrapper = WRAPPERS.get(call.name)
    if wrapper is not None:
        return _peel(call, wrapper, bench)
    first = next((t for t in call.texts if not t.startswith("-")), "")
    takes = _RUNNERS.get((call.name, first))
    if takes is None:
        return None
    got = options.parse(call.args[call.texts.index(first) + 1 :], takes, stop_early=True)
    words = list(got.operands)
    if call.name in _PYTHON_LIKE or (call.name == "uv" and words and words[0].text.endswith(".py")):
        words = [literal("python"), *([literal("-m")] if "m" in got.short else []), *words]
    _inner(call, words, bench)
    return []


def _peel(call: Call, wrapper: Wrapper, bench: Bench) -> list[Finding]:
    if call.name == "command" and call.texts[:1] and call.texts[0] in ("-v", "-V"):
        return []
    got = options.parse(call.args, wrapper.values, stop_early=True)
    words = list(got.operands)
    env = list(call.env)
    while wrapper.assigns and words and _ASSIGN.match(words[0].text):
        name, _, value = words.pop(0).text.partition("=")
        env.append((name, value))
    words = words[wrapper.skip :]
    if call.name == "env" and (got.has("S", "split-string")):
        bench.nested(" ".join([*(_split_string(call)), *[w.text for w in words]]), call.scope.fork())
        return []
    if wrapper.root and not words:
        return _bare_root(call, got)
    before = len(bench.findings)
    _inner(replace(call, env=tuple(env), scope=_scope(call, got, wrapper, bench)), words, bench)
    if not wrapper.root:
        return []
    worse = len(bench.findings) > before
    return [found("privilege", (call.name,), "system", "privilege", undo="no" if worse else "yes")]


def _bare_root(call: Call, got: options.Options) -> list[Finding]:
    if got.has("l", "v", "k", "K", "V", "list", "version", "validate", "help") and not got.has("s", "i"):
        return []
    return [found("privilege", (call.name,), "system", "root_shell")]


def _split_string(call: Call) -> list[str]:
    for index, text in enumerate(call.texts):
        if text in ("-S", "--split-string"):
            return call.texts[index + 1 : index + 2]
        if text.startswith(("-S", "--split-string=")):
            return [text.removeprefix("--split-string=").removeprefix("-S")]
    return []


def _scope(call: Call, got: options.Options, wrapper: Wrapper, bench: Bench) -> Scope:
    scope = call.scope
    if wrapper.elsewhere:
        return Scope(None)
    words = got.values.get("C") if call.name == "env" else got.values.get("D")
    words = words or got.values.get("chdir")
    if words:
        scope = scope.fork()
        scope.cwd = resolve(words[-1], scope, bench.where).path
    return scope


def _inner(call: Call, words: list[Word], bench: Bench) -> None:
    inner = replace(call, args=tuple(words)).shifted(0)
    if inner is not None and inner.raw_name.startswith("(") and inner.raw_name.endswith(")"):
        bench.nested(inner.raw_name, call.scope.fork())  # time (make test): the grammar leaves it as a word
    elif inner is not None:
        bench.step()
        bench.judge_call(bench, inner)


def xargs(call: Call, bench: Bench) -> list[Finding]:
    """Runs its command with whatever comes in."""
    got = options.parse(
        call.args,
        ("I", "i", "n", "P", "L", "s", "d", "E", "a", "delimiter", "max-args", "max-procs", "replace", "arg-file"),
        stop_early=True,
    )
    words = list(got.operands) or [literal("echo")]
    came = _came(call)
    if words[-1].text == "-c" and words[0].text.rsplit("/", 1)[-1] in _SHELLS:
        return [unknown("a shell running whatever comes in")]
    mark = got.value("I", "replace") or ("{}" if "i" in got.short else None)
    if mark:
        words = [_replaced(word, mark, came) for word in words]
    else:
        words += came
    _inner(replace(call, stdin=None), words, bench)
    return []


def _came(call: Call) -> list[Word]:
    if call.stdin is not None and call.stdin.text is not None:
        return [Word(t, quoted=True, bare=t) for t in call.stdin.text.split()[:200]]
    return [Word("whatever comes in", known=False, bare="whatever")]


def _replaced(word: Word, mark: str, came: list[Word]) -> Word:
    if mark not in word.text:
        return word
    if word.text == mark and len(came) == 1 and not came[0].known:
        return came[0]
    if len(came) == 1 and came[0].known:
        text = word.text.replace(mark, came[0].text)
        return Word(text, True, word.glob, word.quoted, text)
    return Word(word.text, False, word.glob, word.quoted, word.text.replace(mark, "x"))


def parallel(call: Call, bench: Bench) -> list[Finding]:
    """GNU parallel: its words are a shell text; operands after ``:::`` are its inputs."""
    got = options.parse(
        call.args,
        ("j", "jobs", "a", "arg-file", "I", "n", "N", "colsep", "delay", "timeout", "joblog", "S", "results"),
        stop_early=True,
    )
    texts = [w.text for w in got.operands]
    cut = next((i for i, t in enumerate(texts) if t.startswith(":::")), len(texts))
    inputs = [w.text for w in got.operands[cut + 1 :] if not w.text.startswith(":::")]
    text = " ".join(texts[:cut])
    if not text:
        for one in inputs or [""]:
            bench.nested(one, call.scope.fork())
        return [] if inputs else [unknown("parallel reading commands")]
    filled = " ".join(inputs) if inputs else '"$WHATEVER"'
    whole = (
        re.sub(r"\{[^{}]{0,3}\}", lambda _: filled, text) if re.search(r"\{[^{}]{0,3}\}", text) else f"{text} {filled}"
    )
    bench.nested(whole, call.scope.fork())
    return []


def watch(call: Call, bench: Bench) -> list[Finding]:
    """watch runs a text again and again."""
    got = options.parse(call.args, ("n", "interval", "q"), stop_early=True)
    if got.operands:
        bench.nested(" ".join(w.text for w in got.operands), call.scope.fork())
    return []


def su(call: Call, bench: Bench) -> list[Finding]:
    """su and runuser: a shell of another user."""
    got = options.parse(call.args, ("c", "command", "s", "shell", "u", "g", "G"))
    text = got.value("c", "command")
    if text is not None:
        bench.nested(text, call.scope.fork())
    elif call.name == "runuser" and len(got.operands) > 1:
        _inner(call, got.operands if "u" in got.values else got.operands[1:], bench)
    return [found("privilege", (call.name,), "system", "privilege")]


def script(call: Call, bench: Bench) -> list[Finding]:
    """script -c and flock -c, and flock FILE command."""
    got = options.parse(call.args, ("c", "command", "w", "E", "I", "O", "B", "T"), stop_early=True)
    text = got.value("c", "command")
    if text is not None:
        bench.nested(text, call.scope.fork())
    elif call.name == "flock":
        tail = got.operands[1:]
        if tail and tail[0].text in ("-c", "--command"):
            bench.nested(" ".join(w.text for w in tail[1:]), call.scope.fork())
        else:
            _inner(call, tail, bench)
    return []


def pods(call: Call, bench: Bench) -> list[Finding] | None:
    """docker exec/run and kubectl exec/debug: the inner command, somewhere else."""
    texts = call.texts
    verb = next((t for t in texts if t in ("exec", "run", "debug")), None)
    if verb is None:
        return None
    rest = list(call.args[texts.index(verb) + 1 :])
    takes = (
        "e",
        "env",
        "u",
        "user",
        "w",
        "workdir",
        "n",
        "namespace",
        "c",
        "container",
        "v",
        "volume",
        "p",
        "name",
        "network",
        "entrypoint",
        "mount",
        "f",
        "file",
        "m",
        "platform",
        "l",
        "label",
        "env-file",
        "image",
        "restart",
        "add-host",
        "cpus",
        "memory",
    )
    got = options.parse(rest, takes, stop_early=True)
    words = got.operands[1:]
    if words and words[0].text == "--":
        words = words[1:]
    inner = replace(call, args=tuple(words), scope=Scope(None), env=()).shifted(0)
    if inner is not None:
        bench.judge_call(bench, inner)
    if call.name in ("kubectl", "oc", "k"):
        return [] if words and verb == "exec" else None
    return [found("escape", (call.name,), "system", "escape")]
