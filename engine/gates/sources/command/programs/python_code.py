"""Python source by its syntax tree: calls that delete, run, overwrite, send or hide."""

import ast
from collections.abc import Iterator

from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import sql
from engine.gates.sources.command.programs.files import deleted
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word, literal
from engine.gates.sources.command.writes import write

_DELETES = frozenset(
    (
        "remove",
        "unlink",
        "rmdir",
        "removedirs",
        "rmtree",
        "truncate",
        "drop_all",
        "drop_database",
        "flushall",
        "flushdb",
    )
)
_MODULE_DELETES = frozenset(("os", "shutil", "pathlib"))
_RUNS = frozenset(
    (
        "system",
        "popen",
        "run",
        "call",
        "check_call",
        "check_output",
        "Popen",
        "getoutput",
        "getstatusoutput",
        "execv",
        "execvp",
        "execl",
        "execlp",
        "execve",
        "spawnl",
        "spawnv",
        "create_subprocess_exec",
        "create_subprocess_shell",
    )
)
_RUNNERS = frozenset(("os", "subprocess", "asyncio", "sp", "pty", "commands"))
_DYNAMIC = frozenset(("eval", "exec", "__import__", "compile"))
_SENDS = frozenset(("post", "put", "delete", "patch", "sendall", "sendto", "urlopen", "upload_file", "send_message"))
_NET = frozenset(
    ("requests", "httpx", "urllib", "session", "client", "socket", "smtplib", "s", "sock", "aiohttp", "request")
)
_WAYS_OUT = frozenset(
    (
        *(("os", "dup2"), ("pty", "spawn"), ("os", "setuid"), ("os", "posix_spawn"), ("os", "startfile")),
        *(("runpy", "run_path"), ("code", "interact"), ("webbrowser", "open"), ("os", "mknod")),
    )
)
_RIGHTS = frozenset(("chmod", "chown", "lchown", "symlink", "link", "mkdir", "makedirs"))
_MOVES = frozenset(("move", "rename", "replace", "copyfile", "copy", "copytree"))


def scan(text: str, call: Call, bench: Bench) -> list[Finding]:
    """Findings of one program; what does not parse is unknown."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [unknown("python code that does not parse")]
    scanner = _Scanner(call, bench)
    results: list[Finding] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            scanner.imported(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            bench.step()
            results += scanner.call_of(node)
            results += scanner.handed_on(node)
    return results


class _Scanner:
    """Judges the calls of one program; knows what its imports are called."""

    def __init__(self, call: Call, bench: Bench) -> None:
        self._call = call
        self._bench = bench
        self._from: dict[str, str] = {}  # local name -> module it came from
        self._original: dict[str, str] = {}
        self._stars: set[str] = set()  # modules whose names were all imported

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for name in node.names:
            if name.name == "*":
                self._stars.add(module.split(".")[0])
                continue
            short = name.asname or name.name.split(".")[0]
            self._from[short] = module or name.name
            self._original[short] = name.name

    def call_of(self, node: ast.Call) -> list[Finding]:
        owner, name = self._named(node.func)
        if name in _DYNAMIC and not owner:
            return [unknown("python code that makes code")]
        if self._hides(node, owner, name):
            return [unknown("python code that hides what it calls")]
        if name in _DELETES and (
            owner in _MODULE_DELETES
            or self._is_path(node.func)
            or name in ("drop_all", "rmtree", "flushall", "drop_database")
        ):
            return self._deletes(node, owner)
        if name in _RUNS and owner in _RUNNERS:
            return self._runs(node)
        if name in ("execute", "executescript", "executemany", "raw"):
            return [f for text in self._strings(node.args[:1]) for f in sql.judge(text)]
        return self._writes(node, owner, name)

    def handed_on(self, node: ast.Call) -> list[Finding]:
        """``map(os.remove, names)`` calls what it is given."""
        results: list[Finding] = []
        for value in [*node.args, *[k.value for k in node.keywords]]:
            if not isinstance(value, ast.Attribute | ast.Name):
                continue
            owner, name = self._named(value)
            if name in _DELETES and owner in _MODULE_DELETES:
                results.append(found("delete", ("python code",), "unknown", "code_deletes", undo="unknown"))
            elif (name in _RUNS and owner in _RUNNERS) or (name in _DYNAMIC and isinstance(value, ast.Name)):
                results.append(unknown("python code that runs commands"))
        return results

    def _hides(self, node: ast.Call, owner: str, name: str) -> bool:
        """Functions that are looked up by a name, and programs in a form that nobody reads."""
        if name == "getattr" and not owner and len(node.args) > 1:
            module = node.args[0]
            return isinstance(module, ast.Name | ast.Call) and self._module(module) in _RUNNERS | _MODULE_DELETES
        if owner == "importlib" and name == "import_module":
            return not (self._texts(node) and self._texts(node)[0].split(".")[0] not in _RUNNERS | _MODULE_DELETES)
        if (owner, name) in _WAYS_OUT:
            return True
        return (owner in ("pickle", "marshal") and name in ("load", "loads")) or owner == "ctypes"

    def _module(self, node: ast.Name | ast.Call) -> str:
        if isinstance(node, ast.Name):
            return self._from.get(node.id, node.id).split(".")[0]
        return next(iter(self._texts(node)), "")

    def _texts(self, node: ast.Call) -> list[str]:
        return list(self._strings(node.args[:1]))

    def _writes(self, node: ast.Call, owner: str, name: str) -> list[Finding]:
        if name == "open" or name in ("write_text", "write_bytes"):
            return self._opened(node, name)
        if name in _MOVES and owner in ("os", "shutil"):
            return self._lands(node.args[1:2]) + (self._leaves(node) if not name.startswith("copy") else [])
        if name in _RIGHTS and owner == "os":
            at = node.args[1:2] if "link" in name else node.args[:1]
            texts = list(self._strings(at))
            targets = [resolve(literal(text), self._call.scope, self._bench.where) for text in texts]
            bad = [t for t in targets if t.place not in ("project", "temp")]
            return [found("configure", (t.shown,), t.place, "rights", noun="file") for t in bad]
        if name in _SENDS and owner.split(".")[0] in _NET:
            return [found("send", ("python code",), "remote", "send", undo="yes")]
        if name in ("kill", "killpg") and owner == "os":
            return [found("stop", ("a process",), "system", "kill")]
        return []

    def _named(self, func: ast.expr) -> tuple[str, str]:
        if isinstance(func, ast.Name):
            module = self._from.get(func.id, "")
            if not module and func.id in _DELETES | _RUNS | _MOVES:
                module = next(iter(self._stars & (_MODULE_DELETES | _RUNNERS)), "")
            return module.split(".")[0], self._original.get(func.id, func.id)
        if isinstance(func, ast.Attribute):
            root = func.value
            while isinstance(root, ast.Attribute):
                root = root.value
            base = root.id if isinstance(root, ast.Name) else ""
            if isinstance(root, ast.Call) and isinstance(root.func, ast.Name) and root.func.id == "__import__":
                base = next(self._strings(root.args[:1]), "")
            return self._from.get(base, base).split(".")[0], func.attr
        return "", ""

    def _is_path(self, func: ast.expr) -> bool:
        """``Path(...).unlink()`` or ``p.unlink()`` of something that is no list or set."""
        return isinstance(func, ast.Attribute) and func.attr in ("unlink", "rmdir", "rmtree")

    def _strings(self, nodes: list[ast.expr]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                yield "".join(
                    p.value if isinstance(p, ast.Constant) and isinstance(p.value, str) else "$UNKNOWN"
                    for p in node.values
                )

    def _deletes(self, node: ast.Call, owner: str) -> list[Finding]:
        names = list(self._strings(node.args[:1]))
        if not names and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
            names = list(self._strings(node.func.value.args[:1]))
        if not names:
            return [found("delete", ("python code",), "unknown", "code_deletes", undo="unknown")]
        targets = [resolve(Word(n, "$UNKNOWN" not in n, bare=n), self._call.scope, self._bench.where) for n in names]
        return deleted(targets, self._bench, recursive=True)

    def _runs(self, node: ast.Call) -> list[Finding]:
        first = node.args[0] if node.args else None
        if isinstance(first, ast.List | ast.Tuple):
            words = list(self._strings(list(first.elts)))
            whole = len(words) == len(first.elts)
            self._bench.nested(" ".join("'" + w.replace("'", "'\\''") + "'" for w in words), self._call.scope)
            return [] if whole or words else [unknown("python code that runs commands")]
        texts = list(self._strings(node.args[:1]))
        for text in texts:
            self._bench.nested(text, self._call.scope)
        return [] if texts else [unknown("python code that runs commands")]

    def _opened(self, node: ast.Call, name: str) -> list[Finding]:
        if name != "open":
            base = node.func.value if isinstance(node.func, ast.Attribute) else None
            return self._lands(base.args[:1] if isinstance(base, ast.Call) else [])
        modes = [*self._strings(node.args[1:2]), *self._strings([k.value for k in node.keywords if k.arg == "mode"])]
        mode = modes[0] if modes else "r"
        writes = bool(set(mode) & set("wax+")) and len(mode) < 4
        return self._lands(node.args[:1], append="a" in mode) if writes else []

    def _leaves(self, node: ast.Call) -> list[Finding]:
        """A file that is moved out of the project is gone from it."""
        names = list(self._strings(node.args[:2]))
        if len(names) < 2:
            return []
        origin, goal = (resolve(literal(n), self._call.scope, self._bench.where) for n in names)
        if goal.place == origin.place == "project" or origin.place == "temp":
            return []
        return [found("delete", (origin.shown,), origin.place, "move_away", undo="unknown", noun="file")]

    def _lands(self, nodes: list[ast.expr], *, append: bool = False) -> list[Finding]:
        texts = list(self._strings(nodes))
        if not texts:
            return [found("overwrite", ("python code",), "project", "code_writes", undo="yes", noun="file")]
        targets = [resolve(literal(text), self._call.scope, self._bench.where) for text in texts]
        return [f for t in targets if (f := write(t, self._bench.where, append=append))]
