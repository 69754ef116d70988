"""Processes, power, schedulers, users, and ways out of the agent's tree."""

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call
from engine.gates.sources.command.judgement import Finding, found

# The letters that only look, by program: elsewhere -l locks an account or lets go of a busy mount, -n keeps no record.
_LOOKS = {
    "passwd": "S",
    "iptables": "LS",
    "ip6tables": "LS",
    "modprobe": "ncD",
    "fdisk": "l",
    "swapon": "s",
    "mount": "fh",
    "useradd": "h",
}


def kill(call: Call, bench: Bench) -> list[Finding]:
    """Signals; asking or listing ends nothing, a shell's own job is its business."""
    texts = [t for t in call.texts]
    if call.name == "xkill":
        return [found("stop", ("a window",), "system", "kill", noun="process")]
    if not texts or any(t in ("-l", "-L", "--list", "-0", "--help") for t in texts):
        return []
    if call.name == "kill" and texts[-1] == "-1" and len(texts) > 1:
        return [found("stop", ("every process of yours",), "system", "kill_all", noun="process")]
    names = [w for w in call.args if not w.text.startswith("-")]
    if call.name == "kill" and names and all(w.text.startswith(("%", "$!")) for w in names):
        return []
    return [found("stop", tuple(w.text for w in names) or tuple(texts), "system", "kill", noun="process")]


def keygen(call: Call, bench: Bench) -> list[Finding]:
    """ssh-keygen: looking at keys is reading; making or removing them changes who may log in."""
    got = options.parse(call.args, ("f", "t", "b", "C", "N", "F", "R", "E", "P"))
    if got.short & set("lyFBHe") and "R" not in got.short:
        return []
    return [found("configure", tuple(w.text for w in got.values.get("f", [])) or ("a key",), "home", "login")]


def power(call: Call, bench: Bench) -> list[Finding]:
    """Shutting down or restarting the machine."""
    if call.texts[:1] in (["-c"], ["--help"], ["/a"]):
        return []
    return [found("stop", (call.name,), "system", "power")]


def escape(call: Call, bench: Bench) -> list[Finding]:
    """Work handed to a scheduler or a server runs outside what can be frozen."""
    if call.texts[:1] in (["-l"], ["--version"], ["--help"]):
        return []
    return [found("escape", (call.name,), "system", "escape")]


def system_change(call: Call, bench: Bench) -> list[Finding]:
    """Users, mounts, kernel, firewall and their kin."""
    got = options.parse(call.args, ("t", "o", "A", "D"))
    looks = got.short & set(_LOOKS.get(call.name, ""))
    if looks or got.has("help", "version", "list", "dry-run", "show", "status"):
        return []
    if call.name in ("mount", "swapon", "modprobe") and not got.operands and not got.has("a", "all"):
        return []
    if call.name in ("ufw", "firewall-cmd") and got.operands[:1] and got.operands[0].text == "status":
        return []
    return [found("configure", (" ".join([call.name, *[w.text for w in got.operands]]),), "system", "change_system")]


def fork_bomb_name(name: str) -> bool:
    """The classic function that calls itself without end."""
    return name == ":(){"


def conduit(call: Call, bench: Bench) -> list[Finding]:
    """An agent that runs ``conduit`` could answer its own gates."""
    return [found("escape", (call.name, *call.texts[:1]), "home", "conduit")]


def agent(call: Call, bench: Bench) -> list[Finding]:
    """Another agent started inside this one; its own questions would be seen by nobody."""
    if any(t in ("--version", "-v", "-V", "--help", "-h") for t in call.texts):
        return []
    return [found("execute", (call.name,), "unknown", "starts_agent", undo="unknown")]
