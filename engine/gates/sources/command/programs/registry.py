"""Which judge a program has; what has none counts as unknown."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from engine.gates.sources.command import paths
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import (
    databases,
    files,
    find,
    git,
    interpreters,
    network,
    runners,
    shells,
    system,
    verbs,
    windows,
    wrappers,
)
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word, literal
from engine.gates.sources.command.writes import guarded

Judge = Callable[[Call, Bench], list[Finding]]

_GROUPS: tuple[tuple[str, Judge], ...] = (
    ("rm unlink shred srm trash trash-put gio wipe rimraf del-cli", files.rm),
    ("rmdir", files.rmdir),
    ("truncate", files.truncate),
    ("dd", files.dd),
    ("patch", files.patch),
    ("ssh-keygen", system.keygen),
    ("mkfs fdisk parted sgdisk wipefs blkdiscard mkswap diskutil hdparm badblocks", files.mkfs),
    ("mv rename", files.mv),
    ("cp ln install ditto", files.cp),
    ("tee sponge", files.tee),
    ("chmod chown chgrp setfacl chattr", files.chmod),
    ("rsync", files.rsync),
    ("tar unzip zip 7z unrar cpio bsdtar gtar", files.archive),
    ("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 lzma pigz compress uncompress", files.compress),
    ("sed gsed", files.sed),
    ("find fd fdfind", find.find),
    ("git hub", git.git),
    (
        "psql mysql mariadb sqlite3 clickhouse-client clickhouse sqlcmd cockroach duckdb usql cqlsh snowsql",
        databases.client,
    ),
    ("mongosh mongo", databases.mongo),
    ("redis-cli valkey-cli", databases.redis),
    ("dropdb dropuser pg_restore mongorestore mysqlimport", databases.drop_tool),
    ("sh bash zsh dash ksh ash fish rbash", shells.shell),
    (". source", shells.source),
    ("eval", shells.evaluate),
    ("trap", shells.trap),
    ("ssh mosh autossh", shells.ssh),
    ("python python2 python3 pypy pypy3 py ipython", interpreters.python),
    ("node deno bun_ perl ruby tsx ts-node lua Rscript osascript nodejs", interpreters.other),
    ("php", interpreters.php),
    ("awk gawk mawk nawk", interpreters.awk),
    ("curl", network.curl),
    ("wget aria2c", network.wget),
    ("http https xh", network.httpie),
    ("scp sftp ftp lftp", network.copy_out),
    ("nc ncat netcat socat telnet", network.netcat),
    ("mail sendmail mutt mailx", network.mail),
    ("kill pkill killall skill fuser xkill", system.kill),
    ("reboot shutdown halt poweroff init telinit", system.power),
    ("at batch systemd-run daemonize atrm", system.escape),
    (
        "useradd userdel usermod groupadd groupdel passwd chpasswd visudo "
        "mount umount insmod rmmod modprobe iptables ip6tables nft ufw",
        system.system_change,
    ),
    (
        "firewall-cmd swapoff swapon update-alternatives update-grub grub-install setenforce chsh",
        system.system_change,
    ),
    ("conduit", system.conduit),
    ("claude codex gemini opencode aider goose cursor-agent", system.agent),
    ("open xdg-open wslview", network.browse),
    ("xargs", wrappers.xargs),
    ("parallel", wrappers.parallel),
    ("watch", wrappers.watch),
    ("su runuser", wrappers.su),
    ("script flock", wrappers.script),
)
_DELETE_WORDS = frozenset(["rm", "rmdir", "unlink", "shred", "truncate", "dd", "mkfs", "del", "rimraf", "dropdb"])
# PowerShell's approved verbs say what a cmdlet does.
_READING_CMDLET = re.compile(
    r"(?i)(get|test|measure|select|where|sort|group|format|compare|find|search|resolve|show|convertto|convertfrom|write"
    r"|read|split|join|out-(host|string|null|default|gridview)|foreach|tee|wait|watch|trace|debug|pop|push)(-|$)[a-z]*$"
)
_SENDERS = frozenset(["curl", "wget", "http", "https", "xh", "nc", "ncat", "socat", "telnet", "ssh"])
_TALKERS = frozenset(
    ["echo", "printf", ":", "true", "false", "test", "[", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git"]
)
# Options by which a harmless program still writes or runs: sort -o, yq -i, rg --pre.
_WRITING: dict[str, tuple[str, ...]] = {
    "sort": ("-o", "--output"),
    "yq": ("-i", "--inplace"),
    "rg": ("--pre",),
    "xxd": ("-r",),
}
# Programs that a build calls by these names; a whole shell text in their place is run as one.
_BUILD_TOOLS = frozenset(
    [
        "CC",
        "CXX",
        "CPP",
        "LD",
        "AR",
        "AS",
        "SHELL",
        "MAKEFLAGS",
        "RUSTC",
        "RUSTC_WRAPPER",
        "GOFLAGS",
        "CMAKE_C_COMPILER",
    ]
)
_SHELLISH = re.compile(r"[;|&`]|\$\(|(^|[\s/])(rm|dd|shred|sh|bash)\s")


@lru_cache(maxsize=1)
def _judges() -> dict[str, Judge]:
    return {name: judge for names, judge in _GROUPS for name in names.split()}


@lru_cache(maxsize=1)
def harmless() -> frozenset[str]:
    """Programs that only read, search, test, build, format or show."""
    text = (Path(__file__).parent.parent / "data" / "harmless.txt").read_text(encoding="utf-8")
    return frozenset(w for line in text.splitlines() if not line.startswith("#") for w in line.split())


def judge_call(bench: Bench, call: Call) -> None:
    """Judge one simple command."""
    bench.step()
    bench.add(_engine(call, bench))
    bench.add(_env(call, bench))
    if call.name in ("export", "declare", "typeset"):
        pairs = tuple((t.partition("=")[0], t.partition("=")[2]) for t in call.texts if "=" in t)
        bench.add(_env(Call(call.name, (), call.scope, None, pairs), bench))
    _judge(call, bench)


def _judge(call: Call, bench: Bench) -> None:
    if call.name in call.scope.functions or not call.name:
        return
    if call.name == "cd":
        _cd(call, bench)
        return
    if (
        call.name in ("docker", "podman", "kubectl", "oc", "nerdctl")
        and (pod := wrappers.pods(call, bench)) is not None
    ):
        bench.add(pod)
        return
    if call.name == "direnv" and call.texts[:1] in (["allow"], ["permit"], ["grant"], ["reload"]):
        bench.add(shells.source(replace(call, args=(literal(".envrc"),)), bench))
        return
    if call.name in ("pdm", "hatch", "rye", "pipenv"):
        bench.add(runners.beside(call, bench))
    peeled = wrappers.peel(call, bench)
    bench.add(peeled if peeled is not None else _find(call, bench))


def _find(call: Call, bench: Bench) -> list[Finding]:
    local = "/" in call.raw_name and not call.raw_name.startswith(("/bin/", "/usr/", "/sbin/", "/opt/homebrew/"))
    if local:
        return _local(call, bench)
    judge = _judges().get(call.name)
    if judge is not None:
        return judge(call, bench)
    if call.name.startswith("mkfs."):
        return files.mkfs(call, bench)
    if call.name.startswith(("python3.", "pypy3.")):
        return interpreters.python(call, bench)
    if verbs.known(call.name):
        return verbs.judge(call, bench)
    if call.name.lower() in windows.NAMES:
        return windows.judge(call, bench)
    if call.name in harmless():
        return _quiet(call, bench)
    return _unknown(call, bench)


def _local(call: Call, bench: Bench) -> list[Finding]:
    # A path to a known program (.venv/bin/python, ./gradlew) is that program only when it lies in the project.
    if call.name in ("gradlew", "mvnw") or (call.raw_name.lstrip("./").startswith("bin/") and verbs.known(call.name)):
        return verbs.judge(call, bench)
    if re.match(r"(\./)?(vendor/|node_modules/\.)?bin/", call.raw_name) and call.name in harmless():
        return _quiet(call, bench)
    if call.name in _judges() and call.name not in ("install", "rename"):
        return _judges()[call.name](call, bench)
    return shells.local_program(call, bench)


def _quiet(call: Call, bench: Bench) -> list[Finding]:
    if call.name == "cmake" and call.texts[:1] in (["-E"], ["-P"]):
        return _cmake(call, bench)
    if call.name in ("less", "more", "man") and any(t.startswith("+!") or t in ("-P", "--pager") for t in call.texts):
        return [unknown(f"{call.name} running a command")]
    marks = _WRITING.get(call.name, ())
    if call.name == "yq" and any(t == "-i" or t.startswith("--inplace") for t in call.texts):
        return []
    for index, text in enumerate(call.texts):
        if text in marks and call.name == "sort" and index + 1 < len(call.args):
            return files.tee(Call("tee", call.args[index + 1 : index + 2], call.scope), bench)
        if text in marks and call.name == "rg":
            return [unknown("rg --pre")]
    if call.name in ("mkdir", "touch"):
        return _made(call, bench)
    if call.name == "history" and any(t in ("-c", "-d", "-w") for t in call.texts):
        return [found("delete", ("the shell history",), "home", "delete")]
    if call.name in ("alias", "let", "hash", "bind"):
        return _builtin(call, bench)
    return _secret_read(call, bench)


def _cmake(call: Call, bench: Bench) -> list[Finding]:
    """cmake's own shell tools, and scripts."""
    verb = call.texts[1] if len(call.texts) > 1 else ""
    if call.texts[0] == "-E" and verb in ("rm", "remove", "remove_directory"):
        return files.rm(Call("rm", call.args[2:], call.scope), bench)
    harmless_verbs = (
        "echo",
        "cat",
        "compare_files",
        "environment",
        "capabilities",
        "md5sum",
        "sha256sum",
        "make_directory",
        "touch",
    )
    return [] if call.texts[0] == "-E" and verb in harmless_verbs else [unknown(f"cmake {call.texts[0]} {verb}")]


def _builtin(call: Call, bench: Bench) -> list[Finding]:
    """Words of the shell itself: what they give a name to is as bad as that with anything behind it."""
    if (call.name == "hash" and "-p" in call.texts) or (call.name == "bind" and "-x" in call.texts):
        return [unknown(" ".join([call.name, *call.texts]))]
    if call.name == "let":
        bench.nested(": " + " ".join(f'"{t}"' for t in call.texts if "$(" in t or "`" in t), call.scope.fork())
    for text in call.texts:
        if "=" in text and call.name == "alias":
            bench.nested(text.partition("=")[2] + " whatever", call.scope.fork())
    return []


def _made(call: Call, bench: Bench) -> list[Finding]:
    words = [w for w in call.args if not w.text.startswith("-")]
    targets = [t for t in files.targets_of(words, call, bench) if t.path is not None and not paths.is_stream(t.path)]
    results = [f for t in targets if t.path and (f := guarded(t.path, t.shown, bench.where))]
    noun = "folder" if call.name == "mkdir" else "file"
    bad = [t for t in targets if t.place not in ("project", "temp", "unknown") and not bench.where.exists(t.path or "")]
    return results or [found("configure", (t.shown,), t.place, "write_outside", noun=noun) for t in bad]


def _secret_read(call: Call, bench: Bench) -> list[Finding]:
    """Keys of the home folder on a screen that a far model reads."""
    if call.name not in ("cat", "head", "tail", "less", "more", "bat", "base64", "strings", "xxd", "od"):
        return []
    results = []
    for word in call.args:
        if word.text.startswith("-"):
            continue
        target = resolve(word, call.scope, bench.where)
        if target.path and target.place not in ("project", "temp") and paths.is_credential(target.path):
            results.append(found("send", (target.shown,), target.place, "read_secret", undo="yes", noun="file"))
    return results


def _cd(call: Call, bench: Bench) -> None:
    word = next((w for w in call.args if not w.text.startswith("-") or w.text == "-"), None)
    if word is None:
        call.scope.cwd = bench.where.home
    elif not word.known or word.text == "-":
        call.scope.cwd = None
    else:
        call.scope.cwd = resolve(word, call.scope, bench.where).path


def _unknown(call: Call, bench: Bench) -> list[Finding]:
    if call.texts and all(t in ("--version", "-version", "--help", "-h", "-V", "version", "help") for t in call.texts):
        return []
    if _READING_CMDLET.match(call.raw_name) and not any(";" in t for t in call.texts):
        return []
    for index, text in enumerate(call.texts):
        if text.rsplit("/", 1)[-1] in _DELETE_WORDS and (inner := call.shifted(index)) is not None:
            judge_call(bench, inner)
    return [unknown(call.raw_name or call.name)]


def _engine(call: Call, bench: Bench) -> list[Finding]:
    """The engine's port, and its own folder."""
    if call.name in _TALKERS:
        return []
    for word in call.args:
        if (call.name in _SENDERS or call.name in ("python", "python3", "node")) and network.is_engine(word.text):
            return [found("escape", (word.text,), "home", "conduit")]
        if call.name in ("curl", "wget", "nc", "ncat", "telnet") and word.text == "3200":
            return [found("escape", ("port 3200",), "home", "conduit")]
        if _in_engine_home(word, call, bench):
            return [found("escape", (word.text,), "home", "conduit_files", noun="file")]
    return []


def _in_engine_home(word: Word, call: Call, bench: Bench) -> bool:
    if "/" not in word.text and not word.text.startswith((".", "~")):
        return False
    text = word.text.split("=", 1)[-1].removeprefix("@")
    target = resolve(Word(text, word.known, word.glob, word.quoted, word.if_empty), call.scope, bench.where)
    return target.path is not None and paths.inside(target.path, bench.where.conduit_home)


def _foreign_path(value: str, call: Call, bench: Bench) -> bool:
    """Whether programs would be looked for in a place where anybody may put one."""
    first = value.split(":")[0]
    if "$" in first or len(value.split(":")) < 2:
        return False
    return resolve(Word(first, bare=first), call.scope, bench.where).place == "temp"


def _env(call: Call, bench: Bench) -> list[Finding]:
    """Assignments that make a harmless program run something."""
    results = []
    for name, value in call.env:
        if (
            name
            in (
                "LD_PRELOAD",
                "LD_LIBRARY_PATH",
                "DYLD_INSERT_LIBRARIES",
                "BASH_ENV",
                "PROMPT_COMMAND",
                "PERL5OPT",
                "PYTHONSTARTUP",
            )
            and value
        ):
            results.append(unknown(f"{name}={value}"))
        elif name in ("PAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR") and value not in (
            "",
            "cat",
            "less",
            "true",
            ":",
            "vim",
            "nano",
            "vi",
        ):
            bench.nested(value, call.scope.fork())
        elif name == "PATH" and _foreign_path(value, call, bench):
            results.append(unknown(f"programs of {value.split(':')[0]}"))
        elif name in _BUILD_TOOLS and _SHELLISH.search(value):
            bench.nested(value, call.scope.fork())
        elif name in ("CONDUIT_HOME", "CONDUIT_TOKEN"):
            results.append(found("escape", (name,), "home", "conduit"))
    return results
