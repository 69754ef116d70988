"""Payloads of python, node, perl, ruby, php and awk."""

import re
from dataclasses import replace

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import python_code, shells, verbs
from engine.gates.sources.command.programs.files import edited, targets_of
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word

_MODULES = frozenset(
    [
        "pytest",
        "unittest",
        "doctest",
        "venv",
        "virtualenv",
        "mypy",
        "black",
        "ruff",
        "isort",
        "flake8",
        "pylint",
        "pyright",
        "coverage",
        "json.tool",
        "http.server",
        "timeit",
        "cProfile",
        "profile",
        "py_compile",
        "compileall",
        "tokenize",
        "ast",
        "dis",
        "this",
        "site",
        "sysconfig",
        "platform",
        "calendar",
        "build",
        "pre_commit",
        "tox",
        "nox",
        "bandit",
        "sphinx",
        "mkdocs",
        "IPython",
        "jupyter",
        "ensurepip",
        "pdb",
        "trace",
        "zipapp",
        "tabnanny",
        "pydoc",
        "pstats",
        "flask",
        "uvicorn",
        "gunicorn",
        "fastapi",
        "streamlit",
        "radon",
        "vulture",
        "pip_audit",
        "piptools",
        "simplehttpserver",
        "SimpleHTTPServer",
        "base64",
        "gzip",
        "inspect",
    ]
)
_DELETES = re.compile(
    r"\b(unlink(Sync)?|rm(Sync|dir|dirSync)?|rimraf|remove(Sync|_entry_secure|_dir|_entry)?|rmtree|rm_rf"
    r"|rm_r|delete|truncate(Sync)?|emptyDir(Sync)?"
    r"|remove_tree|dropDatabase|dropTable|deleteMany|delete_all|destroy_all)(\s*\(|\s+(['\"$@]|glob\b|<))"
    r"|\bFileUtils\.rm|File\.delete|Dir\.(rmdir|delete|unlink)"
)
_RUNS = re.compile(
    r"child_process|\bos\.execute|\b(execSync|spawnSync|spawn|execFile|exec|system|popen\w*|shell_exec|passthru"
    r"|proc_open|eval|qx|IO\.popen|Open3|Function)\b\s*[\(\{\s'\"/]"
    r"|`[^`]+`|%x[\{\(\[]|process\.(kill|binding|dlopen)|Bun\.\$|Deno\.(Command|run)"
)
_WRITES = re.compile(
    r"\b(writeFile(Sync)?|appendFile(Sync)?|createWriteStream|rename(Sync)?|copyFile(Sync)?"
    r"|file_put_contents|File\.write|IO\.write"
    r"|chmod(Sync)?|chown(Sync)?|symlink)\b|\bopen\b[^;]*['\"][^'\"]*[>w+]|Deno\.write"
)
_NETS = re.compile(
    r"\b(fetch|axios|https?\.(request|get)|Net::HTTP|LWP|curl_exec|IO::Socket|net\.connect|WebSocket|fsockopen)\b"
)
_EVALS = {
    "node": ("e", "eval", "p", "print"),
    "deno": (),
    "bun": ("e", "eval"),
    "perl": ("e", "E"),
    "ruby": ("e",),
    "php": ("r",),
    "lua": ("e",),
    "tsx": ("e",),
    "ts-node": ("e",),
    "Rscript": ("e",),
    "osascript": ("e",),
}


def python(call: Call, bench: Bench) -> list[Finding]:
    """python -c, -m, a script, or a program on standard input."""
    got = options.parse(call.args, ("c", "m", "W", "X", "Q"), stop_early=True)
    if "c" in got.values:
        word = got.values["c"][-1]
        results = python_text(word.text, call, bench)
        return results if word.known or results else [unknown("python code with unknown parts")]
    if "m" in got.values:
        return _module(got.values["m"][-1].text, call, bench)
    if got.operands and got.operands[0].text != "-":
        return _script(got.operands, call, bench)
    if call.stdin is not None:
        return _input(call, bench)
    return []


def _input(call: Call, bench: Bench) -> list[Finding]:
    feed = call.stdin
    if feed is None:
        return []
    if feed.text is None:
        return [shells.fetched(call.name)] if feed.taint == "remote" else [unknown(f"{call.name} reading its input")]
    if call.name.startswith("py"):
        return python_text(feed.text, call, bench)
    return other_text(feed.text, call.name)


def _module(name: str, call: Call, bench: Bench) -> list[Finding]:
    texts = call.texts
    rest = call.args[next((i for i, t in enumerate(texts) if t in ("-m", f"-m{name}")), 0) + 1 :]
    rest = rest[1:] if rest and rest[0].text == name else rest
    inner = Call(name, tuple(rest), call.scope, call.stdin, call.env, name, True)
    if name.split(".")[0] in ("conduit", "engine", "voice") or name.startswith("conduit"):
        return [found("escape", (f"python -m {name}",), "home", "conduit")]
    if verbs.known(name):
        return verbs.judge(inner, bench)
    if name == "http.server" and (served := _served(inner, bench)) is not None:
        return [served]
    if name.split(".")[0] in _MODULES or name in _MODULES:
        return []
    if name in ("zipfile", "tarfile"):
        return []
    return [found("execute", (name,), "project", "run_project", undo="unknown")]


def _served(call: Call, bench: Bench) -> Finding | None:
    """A folder outside the project that is put on the network."""
    got = options.parse(call.args, ("d", "directory", "b", "bind", "p", "protocol"))
    for word in (*got.values.get("d", []), *got.values.get("directory", [])):
        target = resolve(word, call.scope, bench.where)
        if target.place not in ("project", "temp"):
            return found("send", (target.shown,), target.place, "serve", noun="folder")
    return None


def _script(operands: list[Word], call: Call, bench: Bench) -> list[Finding]:
    word, name = operands[0], operands[0].text.rsplit("/", 1)[-1]
    if word.text.startswith(("<(", "$(", "http")):
        return [shells.fetched(call.name)]
    if name == "manage.py":
        return _manage([w.text for w in operands[1:]])
    if name == "setup.py":
        verbs_ = [w.text for w in operands[1:]]
        return [found("publish", ("setup.py",), "remote", "publish")] if {"upload", "register"} & set(verbs_) else []
    target = resolve(word, call.scope, bench.where)
    if target.path is None:
        return [unknown(word.text)]
    bench.scripts.append(target.path)
    if target.place not in ("project", "temp"):
        return [unknown(word.text)]
    text = bench.where.read_text(target.path)
    results = python_text(text, call, bench) if text is not None else []
    return results or [found("execute", (word.text,), "project", "run_script", undo="unknown", noun="script")]


def _manage(words: list[str]) -> list[Finding]:
    verb = words[0] if words else "help"
    if {"--help", "-h", "--plan", "--check", "--dry-run", "--version"} & set(words):
        return []
    if verb in ("flush", "reset_db", "sqlflush", "clear_cache", "dbshell", "loaddata", "remove_stale_contenttypes"):
        return [found("drop", (f"manage.py {verb}",), "database", "drop_with", noun="database")]
    if verb == "migrate" and "zero" in words:
        return [found("drop", (verb,), "database", "drop")]
    if verb in ("migrate", "createsuperuser", "changepassword", "shell"):
        return [found("execute", (f"manage.py {verb}",), "project", "run_project", undo="unknown")]
    return []


def python_text(text: str, call: Call, bench: Bench) -> list[Finding]:
    """Python source, by its syntax tree."""
    return python_code.scan(text, call, bench)


def other(call: Call, bench: Bench) -> list[Finding]:
    """node, perl, ruby, php, deno, bun: payloads are searched conservatively."""
    takes = _EVALS.get(call.name, ("e",))
    if call.texts[-1:] in (["--help"], ["-h"], ["--version"]) and not set(call.texts) & {"-e", "--eval"}:
        return []
    if call.name == "deno" and call.texts[:1] == ["task"]:
        return verbs.judge(replace(call, name="yarn", args=call.args[1:]), bench)
    if call.name == "deno" and call.texts[:1] in (["run"], ["test"], ["bench"], ["serve"]):
        return _deno(call, bench)
    got = options.parse(call.args, (*takes, "I", "M", "r", "require", "import", "loader", "d"), stop_early=True)
    if call.name == "perl" and call.texts and re.match(r"-[a-zA-Z0]*e", call.texts[0]):
        got.values.setdefault("e", []).extend(call.args[1:2])
    if got.has("check", "syntax-check") or (
        call.name in ("ruby", "perl", "node", "php") and got.short & set("cl") and not got.has(*takes)
    ):
        return []
    texts = [w for name in takes for w in got.values.get(name, [])]
    results = [f for word in texts for f in _payload(word, call)]
    if call.name in ("node", "tsx", "ts-node", "bun"):
        loads = [w for name in ("r", "require", "import", "loader") for w in got.values.get(name, [])]
        results += [f for w in loads if w.text.startswith((".", "/")) for f in _other_script(w, call, bench)]
    if "i" in got.short and call.name in ("perl", "ruby"):
        words = [w for w in got.operands if w not in texts]
        results += edited(targets_of(words, call, bench), bench)
    if results or texts:
        return results
    if got.operands and got.operands[0].text not in ("-", "test", "check", "lint", "fmt"):
        return _other_script(got.operands[0], call, bench)
    return (
        _input(call, bench)
        if call.stdin is not None and not got.operands and not got.has("version", "v", "help")
        else []
    )


def _deno(call: Call, bench: Bench) -> list[Finding]:
    """A program by its path or its address; tests are tests."""
    got = options.parse(call.args[1:], ("c", "config", "import-map", "L"), stop_early=True)
    if any(w.text.startswith(("http", "npm:", "jsr:")) for w in got.operands[:1]):
        return [shells.fetched(call.name)]
    return _other_script(got.operands[0], call, bench) if got.operands and call.texts[0] != "test" else []


def php(call: Call, bench: Bench) -> list[Finding]:
    """``php -r`` is a payload; artisan and scripts are judged by their words."""
    return other(call, bench) if "-r" in call.texts else verbs.judge(call, bench)


def _payload(word: Word, call: Call) -> list[Finding]:
    results = other_text(word.text, call.name)
    return results if word.known or results else [unknown(f"{call.name} code with unknown parts")]


def other_text(text: str, name: str) -> list[Finding]:
    """Findings of a program in a language without a parser here; strings are searched too."""
    if name == "osascript":
        return [unknown("a script that drives other programs")]
    if _DELETES.search(text):
        return [found("delete", (f"{name} code",), "unknown", "code_deletes", undo="unknown")]
    if _RUNS.search(text):
        return [unknown(f"{name} code that runs commands")]
    if _WRITES.search(text):
        return [found("overwrite", (f"{name} code",), "unknown", "code_writes", undo="unknown")]
    if _NETS.search(text):
        return [found("send", (f"{name} code",), "remote", "send", undo="yes")]
    return []


def _other_script(word: Word, call: Call, bench: Bench) -> list[Finding]:
    target = resolve(word, call.scope, bench.where)
    if target.path is None or target.place not in ("project", "temp"):
        return [unknown(word.text)]
    bench.scripts.append(target.path)
    text = bench.where.read_text(target.path)
    results = other_text(text, call.name) if text is not None else []
    return results or [found("execute", (word.text,), "project", "run_script", undo="unknown", noun="script")]


def awk(call: Call, bench: Bench) -> list[Finding]:
    """awk's system(), pipes and redirections; ``-i inplace`` edits."""
    got = options.parse(call.args, ("F", "v", "f", "i", "include", "assign", "file"))
    if "f" in got.values or "file" in got.values:
        return []
    program = got.operands[0].text if got.operands else ""
    masked = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub(r"/(?:[^/\\\n]|\\.)+/", "//", program))
    if re.search(r"\bsystem\s*\(|\|\s*(&\s*)?\"\"|\"\"\s*\|\s*getline", masked):
        return [unknown("awk program that runs commands")]
    if re.search(r"\bprintf?\b[^;}]*>\s*(\"\"|[A-Za-z_(])", masked) and '"/dev/stderr"' not in program:
        return [found("overwrite", ("awk output",), "project", "overwrite", undo="unknown", noun="file")]
    if got.value("i", "include") == "inplace":
        return edited(targets_of(got.operands[1:], call, bench), bench)
    return []
