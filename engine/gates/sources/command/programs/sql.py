"""SQL: what statements drop, empty or change without a condition. Strings and comments are not statements."""

import re
from collections.abc import Callable, Iterator

from engine.gates.sources.command.judgement import Finding, found

_SPLIT = re.compile(
    r"/\*!\d*(?P<run>.*?)\*/|(?P<skip>/\*.*?\*/|--[^\n]*|\#[^\n]*)|(?P<string>'(?:[^'\\]|\\.|'')*')"
    r"|(?P<name>\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[A-Za-z_][\w ]*\])|(?P<dollar>\$(?P<tag>\w*)\$(?P<body>.*?)\$(?P=tag)\$)",
    re.DOTALL,
)
_DROP = re.compile(
    r"^(drop)\s+(?!constraint)(materialized\s+view|foreign\s+table|access\s+method|event\s+trigger|owned\s+by|[a-z]+)\s+"
    r"(?:if\s+exists\s+)?([^\s;(,]+(?:\s*,\s*[^\s;(,]+)*)?",
    re.I,
)
_WHERE = re.compile(r"\bwhere\b(?P<rest>.*)", re.I | re.DOTALL)
_ALWAYS = re.compile(r"^\s*\(?\s*(1\s*=\s*1|true|1|'?(\w+)'?\s*=\s*'?\2'?|not\s+false)\s*\)?\s*;?\s*$", re.I)
_SHELLS = re.compile(r"^\s*(\\!|\.shell|\.system|system\s|!)\s*(?P<text>.*)", re.I)


def plain(text: str) -> str:
    """``text`` without comments and with strings emptied; what a dialect runs in comments stays."""

    def one(match: re.Match[str]) -> str:
        if match.group("run") is not None:
            return f" {plain(match.group('run'))} "
        if match.group("dollar") is not None:
            return f" ; {plain(match.group('body') or '')} ; "
        if match.group("name") is not None:
            return match.group("name").strip('"`[]').replace(" ", "_") or "_"
        return "''" if match.group("string") is not None else " "

    return _SPLIT.sub(one, text)


def statements(text: str) -> Iterator[str]:
    """Statements, and those inside parentheses, ``DO`` bodies and common table expressions."""
    for part in plain(text).split(";"):
        whole = " ".join(part.split())
        if not whole:
            continue
        yield whole
        for match in re.finditer(
            r"(?:\(|\b(?:begin|then|loop|else|do)\b)\s*(?=(drop|truncate|delete|update|alter)\s+\w)", whole, re.I
        ):
            yield whole[match.end() :]


def only_reads(text: str) -> bool:
    """Whether the whole text is one statement that reads, and nothing that a shell would take for more."""
    one = text.strip().removesuffix(";")
    if re.match(r"(?i)(select\s+\S|explain\s+(select|delete|update|insert|with)\b)", one) is None:
        return False
    if re.search(r"[;`&|<>\n\\]|\$\(|\b(do|in)\b\s*$", one):
        return False
    return not judge(text) and not re.search(r"(?i)\binto\s+(out|dump)file\b|\bpg_|\blo_|\bdblink", one)


def shell_lines(text: str) -> list[str]:
    """Lines that the client hands to a shell."""
    return [m.group("text") for line in text.splitlines() if (m := _SHELLS.match(line))]


def judge(text: str) -> list[Finding]:
    """Findings of a script of statements."""
    results: list[Finding] = []
    for statement in statements(text):
        results += _one(statement)
    return results


def _one(statement: str) -> list[Finding]:
    low = statement.lower()
    low = re.sub(r"^explain\s+analyze\s+", "", low)
    verb = low.split(None, 1)[0] if low else ""
    if re.match(
        r"(set\s+(password|global|persist)\b|rename\s+(table|user)\b|(re)?create\s+or\s+replace\s+table\b)", low
    ):
        return _rights(statement, low)
    handler = _VERBS.get(verb)
    if handler is None:
        return []
    return handler(statement[-len(low) :], low)


def _drop(text: str, low: str) -> list[Finding]:
    match = _DROP.match(text)
    what = match.group(2).lower() if match else "object"
    name = (match.group(3) if match else None) or "?"
    if what in ("index", "trigger", "temporary"):
        return [found("drop", (name,), "database", "drop", noun=what)]
    names = tuple(one.strip() for one in name.split(",") if one.strip())
    return [found("drop", names or ("?",), "database", "drop", noun=what)]


def _truncate(text: str, low: str) -> list[Finding]:
    if re.match(r"truncate\s*\(", low):
        return []
    names = re.sub(r"^truncate\s+(table\s+)?(if\s+exists\s+)?(only\s+)?", "", text, flags=re.I).split()
    return [found("drop", (names[0] if names else "?",), "database", "truncate", noun="table")]


def _delete(text: str, low: str) -> list[Finding]:
    match = re.match(r"delete\s+(?:\w+\s+)?from\s+(?:only\s+)?(\S+)", text, re.I)
    name = match.group(1) if match else "?"
    if _conditioned(text):
        return [found("delete", (name,), "database", "delete_some_rows", undo="unknown", noun="table")]
    return [found("delete", (name,), "database", "delete_rows", noun="table")]


def _update(text: str, low: str) -> list[Finding]:
    match = re.match(r"update\s+(?:only\s+|ignore\s+|low_priority\s+)*(\S+)", text, re.I)
    name = match.group(1) if match else "?"
    if " set " not in f" {low} ":
        return []
    if _conditioned(text):
        return [found("overwrite", (name,), "database", "update_some_rows", undo="unknown", noun="table")]
    return [found("overwrite", (name,), "database", "update_rows", noun="table")]


def _conditioned(text: str) -> bool:
    match = _WHERE.search(text)
    if match is None or _ALWAYS.match(match.group("rest")):
        return False
    return not any(_ALWAYS.match(part) for part in re.split(r"\bor\b", match.group("rest"), flags=re.I)[1:])


def _alter(text: str, low: str) -> list[Finding]:
    name = ([*low.split(), "?", "?", "?"])[2]
    if re.search(r"\b(drop|delete|truncate|detach)\b(?!\s+(default|not\s+null|constraint|identity|expression))", low):
        return [found("drop", (name,), "database", "alter_drop", noun="table")]
    if re.match(r"alter\s+(system|user|role|database|default)", low):
        return [found("configure", (name,), "database", "db_rights")]
    if re.search(r"\b(rename|modify|type|owner\s+to|set\s+schema)\b", low) or " drop " in low:
        return [found("configure", (name,), "database", "alter", noun="table")]
    return []


def _rights(text: str, low: str) -> list[Finding]:
    return [found("configure", (" ".join(low.split()[:4]),), "database", "db_rights")]


def _copy(text: str, low: str) -> list[Finding]:
    if " program " in low or "from program" in low:
        return [found("execute", ("copy program",), "database", "db_runs")]
    return []


def _stops(text: str, low: str) -> list[Finding]:
    return [found("stop", (low.split()[0],), "database", "db_stop")]


def _select(text: str, low: str) -> list[Finding]:
    if re.search(r"\bpg_(terminate|cancel)_backend\b|\bpg_reload_conf\b", low):
        return [found("stop", ("connections",), "database", "db_stop")]
    if re.search(
        r"\b(lo_unlink|pg_drop_replication_slot|pg_ls_dir|pg_read_file|load_extension|sys_exec|xp_cmdshell)\b", low
    ):
        return [found("execute", ("a server function",), "database", "db_runs")]
    if re.search(r"\binto\s+(outfile|dumpfile)\b", low):
        return [found("overwrite", ("a file of the server",), "database", "db_runs")]
    return []


def _optimise(text: str, low: str) -> list[Finding]:
    return [found("drop", (low.split()[-1],), "database", "drop", noun="partition")] if " cleanup" in low else []


def _pragma(text: str, low: str) -> list[Finding]:
    return [found("configure", ("writable schema",), "database", "db_rights")] if "writable_schema" in low else []


def _exec(text: str, low: str) -> list[Finding]:
    return [found("execute", ("xp_cmdshell",), "database", "db_runs")] if "xp_cmdshell" in low else []


_VERBS: dict[str, Callable[[str, str], list[Finding]]] = {
    "drop": _drop,
    "truncate": _truncate,
    "delete": _delete,
    "update": _update,
    "alter": _alter,
    "grant": _rights,
    "revoke": _rights,
    "reassign": _rights,
    "copy": _copy,
    "shutdown": _stops,
    "kill": _stops,
    "select": _select,
    "optimize": _optimise,
    "pragma": _pragma,
    "exec": _exec,
    "merge": lambda text, low: [found("overwrite", (low.split()[-1],), "database", "update_some_rows", undo="unknown")],
    "do": lambda text, low: [found("execute", ("a block",), "database", "db_runs")] if "''" in low else [],
    "execute": lambda text, low: (
        [found("execute", ("a statement made of text",), "database", "db_runs")] if "''" in low else []
    ),
    "reset": lambda text, low: (
        [found("drop", ("replication",), "database", "drop")]
        if "master" in low or "slave" in low or "replica" in low
        else []
    ),
    "purge": lambda text, low: [found("drop", ("logs",), "database", "drop", noun="log")],
    "detach": lambda text, low: [],
}
