"""What a command prints into the next one, where the line tells it."""

from engine.gates.sources.command import paths
from engine.gates.sources.command.call import Call, Feed
from engine.gates.sources.command.surroundings import Surroundings
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import ansi

_FETCHERS = frozenset(
    ("curl", "wget", "fetch", "http", "https", "aria2c", "ssh", "nc", "iwr", "irm", "Invoke-WebRequest")
)
_READERS = frozenset(("cat", "head", "tail", "tac", "less", "strings", "gpg", "pass", "bat"))
_SECRETS = frozenset(("env", "printenv", "export", "security", "pass"))


def output_of(call: Call, where: Surroundings) -> Feed:
    """The feed that a pipe would take from ``call``."""
    if call.name in ("echo", "printf"):
        return Feed(_printed(call))
    if call.name in _FETCHERS:
        return Feed(None, "remote")
    if call.name in _READERS and call.args:
        return _files(call, where)
    if call.name in _SECRETS and not call.args:
        return Feed(None, "secret")
    if call.name in ("cat", "tee") and call.stdin is not None:
        return call.stdin
    return Feed(None, call.stdin.taint if call.stdin is not None else "plain")


def _printed(call: Call) -> str | None:
    if not all(word.known for word in call.args):
        return None
    texts = [text for text in call.texts if text not in ("-e", "-n", "-E", "-ne", "-en", "--")]
    if call.name == "echo":
        return " ".join(texts) + "\n"
    if not texts:
        return ""
    form = ansi(texts[0])
    for text in texts[1:]:
        form = form.replace("%s", text, 1) if "%s" in form else form + " " + text
    return form


def _files(call: Call, where: Surroundings) -> Feed:
    targets = [resolve(word, call.scope, where) for word in call.args if not word.text.startswith("-")]
    secret = any(t.path is not None and paths.is_credential(t.path) for t in targets)
    texts = [where.read_text(t.path) if t.path else None for t in targets]
    known = [text for text in texts if text is not None]
    text = "".join(known) if call.name == "cat" and len(known) == len(texts) else None
    taint = "secret" if secret else call.stdin.taint if call.stdin is not None else "plain"
    return Feed(text, taint)
