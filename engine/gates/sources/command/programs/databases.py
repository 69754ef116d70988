"""Clients of databases: which of their arguments and inputs are statements."""

import re

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import sql
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word

_STATEMENTS = {
    "psql": ("c", "command"),
    "mysql": ("e", "execute"),
    "mariadb": ("e", "execute"),
    "clickhouse-client": ("q", "query"),
    "clickhouse": ("q", "query"),
    "sqlcmd": ("Q", "q"),
    "cockroach": ("e", "execute"),
    "duckdb": ("c",),
    "usql": ("c",),
    "cqlsh": ("e", "execute"),
    "bq": (),
    "snowsql": ("q", "query"),
}
_FILES = ("f", "file", "queries-file", "i")
_TAKES = (
    *(
        "c",
        "command",
        "e",
        "execute",
        "q",
        "query",
        "Q",
        "f",
        "file",
        "queries-file",
        "h",
        "host",
        "U",
        "user",
        "u",
        "p",
        "port",
    ),
    *("d", "dbname", "database", "v", "set", "o", "output", "P", "S", "init", "cmd", "url", "L", "F", "R"),
)
_MONGO = re.compile(
    r"dropDatabase|\.drop\(|\.dropIndex|deleteMany\(\s*(\{\s*\})?\s*\)|\.remove\(\s*(\{\s*\})?\s*\)"
    r"|dropUser|shutdownServer|adminCommand\(\s*\{\s*['\"]?(shutdown|fsync|replSet|setParameter|drop|rename|compact|kill)"
    r"|dropAllUsers|renameCollection|updateMany\(\s*\{\s*\}"
)
_MONGO_SOME = re.compile(
    r"delete(One|Many)\(|\.remove\(|findOneAndDelete|update(One|Many)\(|replaceOne|bulkWrite|insert"
)
_REDIS_READS = frozenset(
    [
        "get",
        "mget",
        "hget",
        "hgetall",
        "hkeys",
        "hvals",
        "hlen",
        "keys",
        "scan",
        "ttl",
        "pttl",
        "type",
        "exists",
        "info",
        "ping",
        "llen",
        "lrange",
        "scard",
        "smembers",
        "sismember",
        "zrange",
        "zscore",
        "zcard",
        "dbsize",
        "strlen",
        "time",
        "client",
        "monitor",
        "memory",
        "slowlog",
        "latency",
        "echo",
        "xlen",
        "xrange",
        "cluster",
        "role",
        "lindex",
        "hscan",
        "sscan",
        "object",
    ]
)


def client(call: Call, bench: Bench) -> list[Finding]:
    """psql, mysql, sqlite3 and their kin."""
    got = options.parse(call.args, _TAKES if call.name not in ("mysql", "mariadb") else (*_TAKES, "D"))
    if got.has("version", "help") or (got.has("l") and call.name == "psql"):
        return []
    texts = [w for name in _STATEMENTS.get(call.name, ()) for w in got.values.get(name, [])]
    if call.name in ("sqlite3", "duckdb", "bq"):
        texts += got.operands[1:]
        texts += got.values.get("cmd", [])
    results = [f for word in texts for f in _statement(word, call, bench)]
    files = [w for name in _FILES for w in got.values.get(name, []) if name != "i" or call.name == "sqlcmd"]
    results += [f for word in files for f in _file(word, call, bench)]
    if not texts and not files and call.stdin is not None:
        results += _text(call.stdin.text, call, bench)
    return results


def _statement(word: Word, call: Call, bench: Bench) -> list[Finding]:
    results = _text(word.text, call, bench)
    if not word.known and not re.match(r"\s*(select|explain|show|insert)\b", word.text, re.I):
        results.append(unknown(word.text))
    return results


def _file(word: Word, call: Call, bench: Bench) -> list[Finding]:
    target = resolve(word, call.scope, bench.where)
    if target.path:
        bench.scripts.append(target.path)
    return _text(bench.where.read_text(target.path) if target.path else None, call, bench)


def _text(text: str | None, call: Call, bench: Bench) -> list[Finding]:
    if text is None:
        return [found("unknown", (call.name,), "database", "unknown_sql", undo="unknown")]
    for line in sql.shell_lines(text):
        bench.nested(line, call.scope)
    return sql.judge(text) + _dots(text, call, bench)


def _dots(text: str, call: Call, bench: Bench) -> list[Finding]:
    """Commands of the client itself that read scripts or overwrite files."""
    results: list[Finding] = []
    for line in text.splitlines():
        words = line.strip().split()
        if len(words) < 2:
            continue
        if words[0] in (".read", "\\i", "\\ir", "source", "\\."):
            results += _file(Word(words[1], bare=words[1]), call, bench)
        elif words[0] in (".restore", ".import", ".save", ".backup"):
            results.append(found("overwrite", (words[-1],), "database", "overwrite", undo="unknown"))
    return results


def mongo(call: Call, bench: Bench) -> list[Finding]:
    """mongosh: scripts are JavaScript, judged by the calls that drop or empty."""
    got = options.parse(call.args, ("eval", "u", "p", "host", "port", "username", "password", "file", "f"))
    text = got.value("eval")
    if text is None and call.stdin is not None:
        text = call.stdin.text if call.stdin.text is not None else "dropDatabase"
    scripts = [w for w in [*got.operands, *got.values.get("file", [])] if w.text.endswith((".js", ".mongodb"))]
    for word in scripts:
        target = resolve(word, call.scope, bench.where)
        text = (text or "") + (bench.where.read_text(target.path or "") or "dropDatabase")
    if text is None:
        return []
    if _MONGO.search(text):
        names = tuple(dict.fromkeys(re.findall(r"\bdb\.(?!dropDatabase|getSiblingDB)(\w+)\.\w+", text)))
        if "dropDatabase" in text or not names:
            return [found("drop", ("the whole database",), "database", "drop_all", noun="database")]
        return [found("drop", names, "database", "drop", noun="collection")]
    some = _MONGO_SOME.search(text)
    return [found("overwrite", ("documents",), "database", "update_some_rows", undo="unknown")] if some else []


def redis(call: Call, bench: Bench) -> list[Finding]:
    """redis-cli: one command an invocation, or lines on its input."""
    got = options.parse(
        call.args, ("h", "p", "a", "n", "u", "s", "r", "i", "user", "pass", "pattern", "count"), stop_early=True
    )
    lines = [[w.text.lower() for w in got.operands]] if got.operands else []
    if not lines and call.stdin is not None:
        lines = [line.lower().split() for line in (call.stdin.text or "unknown").splitlines()]
    if len(lines) == 1 and len(lines[0]) == 1:  # one quoted word holds the whole command
        lines = [lines[0][0].split()]
    return [finding for words in lines for finding in _redis(words)]


def _redis(words: list[str]) -> list[Finding]:
    verb = words[0] if words else "ping"
    if verb in _REDIS_READS or words[:2] == ["config", "get"]:
        return []
    if verb in ("flushall", "flushdb"):
        return [found("drop", (verb,), "database", "redis_flush")]
    if verb in ("del", "unlink", "hdel", "ltrim", "srem", "zrem"):
        return [found("delete", tuple(words[1:]), "database", "redis_delete", noun="key")]
    if verb in ("set", "setex", "hset", "lpush", "rpush", "sadd", "zadd", "incr", "expire", "publish"):
        return [found("overwrite", tuple(words[1:2]), "database", "update_some_rows", undo="unknown", noun="key")]
    return [found("configure", (verb,), "database", "db_rights")]


def drop_tool(call: Call, bench: Bench) -> list[Finding]:
    """dropdb, dropuser, pg_restore --clean and such."""
    got = options.parse(call.args, ("h", "p", "U", "d", "dbname", "host", "port", "username", "j", "n", "t"))
    if got.has("help", "version"):
        return []
    names = tuple(w.text for w in got.operands) or (call.name,)
    if call.name.startswith("drop"):
        return [found("drop", names, "database", "drop", noun="database")]
    if call.name in ("pg_restore", "mongorestore", "mysqlimport"):
        if got.has("l", "list"):
            return []
        return [found("overwrite", names, "database", "restore_db")]
    return []
