"""Programs that fetch and send."""

import re
from urllib.parse import urlsplit

from engine.gates.sources.command import options, paths
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import verbs
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word
from engine.gates.sources.command.writes import write

_LOCAL = frozenset(("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "host.docker.internal"))
_CURL_TAKES = (
    *"XdFTHAbceEmoquUwxyCKtQPz",
    *(
        "request",
        "data",
        "data-raw",
        "data-binary",
        "data-urlencode",
        "form",
        "upload-file",
        "header",
        "output",
        "user",
        "user-agent",
    ),
    *(
        "cookie",
        "cookie-jar",
        "max-time",
        "connect-timeout",
        "retry",
        "proxy",
        "write-out",
        "url",
        "cacert",
        "cert",
        "key",
        "json",
        "config",
    ),
    *("output-dir", "form-string", "resolve", "retry-delay", "referer", "range"),
)
_SENDING = (
    "d",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "F",
    "form",
    "form-string",
    "T",
    "upload-file",
    "json",
)
# Elasticsearch, CouchDB, InfluxDB, etcd, Consul, Docker, Vault: a local address, but what is kept there is no test.
_DATA_PORT = re.compile(r":(9200|5984|8086|2379|8500|2375|8200|6333|7700|8108)\b")
_SECRET_WORD = re.compile(r"\$\(?[\w{]*(cat|PASSWORD|SECRET|TOKEN|API_KEY)\b")


def is_engine(text: str) -> bool:
    """Whether a text is an address of the engine itself."""
    return re.search(r"(127\.\d+\.\d+\.\d+|localhost|0\.0\.0\.0|\[?::1\]?):3200\b", text) is not None


def curl(call: Call, bench: Bench) -> list[Finding]:
    """Fetching is reading; sending data or another verb to a far host is not."""
    got = options.parse(call.args, _CURL_TAKES)
    urls = [w.text for w in [*got.operands, *got.values.get("url", [])]]
    results = _outputs(got, call, bench)
    if got.has("K", "config"):
        results.append(unknown("curl options from a file"))
    bodies = [w for name in _SENDING for w in got.values.get(name, [])]
    method = (got.value("X", "request") or ("POST" if bodies and not got.has("G", "get") else "GET")).upper()
    if _secret(call, bodies, bench) and not all(_local(url) for url in urls):
        return [*results, found("send", tuple(urls), "remote", "send_secret")]
    held = method == "DELETE" and any(_DATA_PORT.search(url) for url in urls)
    if method in ("GET", "HEAD", "OPTIONS") or (urls and not held and all(_local(url) for url in urls)):
        return results
    if method == "DELETE":
        return [*results, found("destroy", tuple(urls), "remote", "http_delete", noun="address")]
    return [*results, found("send", tuple(urls), "remote", "send", noun="address")]


def _outputs(got: options.Options, call: Call, bench: Bench) -> list[Finding]:
    words = [w for name in ("o", "output", "c", "cookie-jar") for w in got.values.get(name, []) if w.text != "-"]
    return [f for w in words if (f := write(resolve(w, call.scope, bench.where), bench.where))]


def _local(url: str) -> bool:
    text = url if "//" in url else f"http://{url}"
    try:
        return (urlsplit(text).hostname or "") in _LOCAL
    except ValueError:
        return False


def _secret(call: Call, bodies: list[Word], bench: Bench) -> bool:
    if call.stdin is not None and call.stdin.taint == "secret":
        return True
    for word in bodies:
        name = word.text.split("=", 1)[-1].removeprefix("@").removeprefix("<")
        target = resolve(Word(name, word.known, bare=name), call.scope, bench.where)
        if target.path is not None and paths.is_credential(target.path):
            return True
        if _SECRET_WORD.search(word.text):
            return True
    return False


def wget(call: Call, bench: Bench) -> list[Finding]:
    """Downloads into files; ``--post-*`` sends."""
    takes = (
        "O",
        "output-document",
        "P",
        "directory-prefix",
        "post-data",
        "post-file",
        "body-data",
        "body-file",
        "method",
        "U",
        "e",
        "t",
        "T",
        "header",
        "o",
        "a",
        "i",
    )
    got = options.parse(call.args, takes)
    words = [w for name in ("O", "output-document") for w in got.values.get(name, []) if w.text != "-"]
    into = [*got.values.get("P", []), *got.values.get("directory-prefix", [])]
    words += [Word(f"{w.text}/x", w.known, w.glob, w.quoted, f"{w.if_empty}/x") for w in into]
    results = [f for w in words if (f := write(resolve(w, call.scope, bench.where), bench.where))]
    sends = any(name in got.values for name in ("post-data", "post-file", "body-data", "body-file"))
    urls = [w.text for w in got.operands]
    if (sends or (got.value("method") or "GET").upper() not in ("GET", "HEAD")) and not all(_local(u) for u in urls):
        results.append(found("send", tuple(urls), "remote", "send", noun="address"))
    return results


def httpie(call: Call, bench: Bench) -> list[Finding]:
    """http and https of HTTPie."""
    got = options.parse(call.args, ("a", "auth", "o", "output", "s", "p"))
    words = [w.text for w in got.operands]
    verb = words[0].upper() if words and words[0].isalpha() and words[0].isupper() else ""
    urls = words[1:2] if verb else words[:1]
    if all(_local(u) or u.startswith(":") for u in urls):
        return []
    if verb in ("POST", "PUT", "PATCH", "DELETE") or any(re.search(r"[^=]=|:=|@", w) for w in words[1:]):
        return [found("send", tuple(urls), "remote", "send", noun="address")]
    return []


def copy_out(call: Call, bench: Bench) -> list[Finding]:
    """scp, sftp, ftp: what goes to another host."""
    got = options.parse(
        call.args, ("P", "i", "o", "F", "l", "S", "c", "J", *(["b", "f"] if call.name != "scp" else []))
    )
    if call.name == "sftp" and got.value("b") == "/dev/null":
        return []  # asks only whether one may log in
    if len(got.operands) < 2:
        return [found("send", tuple(w.text for w in got.operands), "remote", "send", noun="address")]
    goal = got.operands[-1]
    if ":" in goal.text.split("/", 1)[0]:
        return [found("send", tuple(w.text for w in got.operands[:-1]), "remote", "send_to", noun="file")]
    one = write(resolve(goal, call.scope, bench.where), bench.where)
    return [one] if one and not bench.where.is_dir(resolve(goal, call.scope, bench.where).path or "/x") else []


def netcat(call: Call, bench: Bench) -> list[Finding]:
    """nc, socat, telnet: anything may pass; only a port check sends nothing."""
    got = options.parse(call.args, ("w", "p", "s", "i", "x", "X"))
    if "z" in got.short or got.has("help", "version"):
        return []
    if got.has("e", "exec", "c", "sh-exec") or call.name == "socat":
        return [unknown(" ".join([call.name, *call.texts]))]
    return [found("send", (" ".join(w.text for w in got.operands),), "remote", "send", noun="address")]


def browse(call: Call, bench: Bench) -> list[Finding]:
    """Opening an address sends whatever has been put into it."""
    secret = [w.text for w in call.args if not w.known and "://" in w.text and _SECRET_WORD.search(w.text)]
    return [found("send", (secret[0].split("?")[0],), "remote", "send_secret")] if secret else verbs.judge(call, bench)


def mail(call: Call, bench: Bench) -> list[Finding]:
    """mail, sendmail: leaves the machine."""
    return [found("send", tuple(call.texts[-1:]), "remote", "send", noun="address")]
