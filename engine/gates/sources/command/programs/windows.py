"""PowerShell's and cmd's plainly destructive statements."""

import re

from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs.files import deleted, targets_of
from engine.gates.sources.command.words import Word

_POWER = frozenset(("stop-computer", "restart-computer"))
_STOPS = frozenset(("stop-process", "spps", "stop-service", "taskkill", "restart-service", "suspend-service"))
_DISKS = frozenset(
    ("format-volume", "clear-disk", "remove-partition", "initialize-disk", "diskpart", "set-disk", "remove-vm")
)
_SYSTEM = frozenset(
    (
        "set-executionpolicy",
        "reg",
        "bcdedit",
        "vssadmin",
        "wevtutil",
        "schtasks",
        "sc.exe",
        "set-itemproperty",
        "remove-itemproperty",
        "clear-recyclebin",
        "netsh",
        "cipher",
        "takeown",
        "icacls",
        "register-scheduledtask",
        "set-mppreference",
    )
)
_DELETES = frozenset(("remove-item", "ri", "del", "erase", "rd", "clear-content", "clc", "clear-item"))
NAMES = (
    _POWER
    | _STOPS
    | _DISKS
    | _SYSTEM
    | _DELETES
    | frozenset(
        (
            "format",
            "iex",
            "invoke-expression",
            "start-process",
            "powershell",
            "pwsh",
            "cmd",
            "move-item",
            "set-content",
            "out-file",
            "new-item",
            "copy-item",
        )
    )
)


def judge(call: Call, bench: Bench) -> list[Finding]:
    """One statement by its lower-case name."""
    name = call.name.lower()
    if "-whatif" in (t.lower() for t in call.texts):
        return []
    if name in _DELETES:
        return _delete(call, bench)
    if name in _POWER:
        return [found("stop", (call.name,), "system", "power")]
    if name in _STOPS:
        return [found("stop", tuple(call.texts[-1:]), "system", "kill", noun="process")]
    if name in _DISKS or name == "format":
        return [found("destroy", (" ".join([call.name, *call.texts]),), "system", "erase_with", noun="device")]
    if name == "netsh" and "show" in call.texts:
        return []
    if name in _SYSTEM:
        return (
            []
            if call.texts[:1] and call.texts[0].lower() in ("query", "/query", "list", "qc")
            else [found("configure", (call.name,), "system", "change_system")]
        )
    if any(re.match(r"(?i)hk(lm|cu|cr|u|cc)(:|\\)", text) for text in call.texts):
        return [found("configure", (call.name,), "system", "change_system")]
    return _runs(name, call, bench)


def _delete(call: Call, bench: Bench) -> list[Finding]:
    words: list[Word] = []
    skip = False
    for word in call.args:
        low = word.text.lower()
        if skip:
            skip = False
        elif re.fullmatch(r"/[a-z]", low) or low.startswith("-"):
            skip = low in ("-filter", "-include", "-exclude", "-erroraction", "-ea", "-stream")
        else:
            words.append(word)
    recursive = any(t.lower() in ("-recurse", "-r", "/s", "-rec") for t in call.texts)
    if not words and call.stdin is not None:
        return [unknown(call.name)]
    return deleted(targets_of(words, call, bench), bench, recursive=recursive)


def _runs(name: str, call: Call, bench: Bench) -> list[Finding]:
    if name in ("iex", "invoke-expression"):
        remote = call.stdin is not None and call.stdin.taint == "remote"
        return [found("execute", (call.name,), "remote", "download_and_run")] if remote else [unknown(call.name)]
    if name in ("powershell", "pwsh", "cmd"):
        return _shell(call, bench)
    if name in ("new-item", "copy-item"):
        return []
    return [unknown(call.name)]


def _shell(call: Call, bench: Bench) -> list[Finding]:
    texts = [t.lower() for t in call.texts]
    for index, text in enumerate(texts):
        if text in ("-command", "-c", "/c", "/k"):
            bench.nested(" ".join(call.texts[index + 1 :]).replace("\\", "/"), call.scope)
            return []
        if text.startswith(("-enc", "-ec", "-e")):
            return [unknown("encoded command")]
    return [] if not texts or texts[-1] in ("-version", "-help") else [unknown(call.name)]
