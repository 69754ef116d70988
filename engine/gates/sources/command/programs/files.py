"""Programs that delete, empty, move, copy or change files."""

import re
from collections.abc import Iterable

from engine.domain.gates import Place
from engine.gates.sources.command import options, paths
from engine.gates.sources.command.call import Bench, Call, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.targets import Target, noun_of, resolve, undo_of
from engine.gates.sources.command.words import Word, literal
from engine.gates.sources.command.writes import guarded, write


def targets_of(words: Iterable[Word], call: Call, bench: Bench) -> list[Target]:
    """Where these words point."""
    return [resolve(word, call.scope, bench.where) for word in words]


def deleted(targets: Iterable[Target], bench: Bench, *, recursive: bool, phrase: str = "delete") -> list[Finding]:
    """One finding a target: place, and whether git or emptiness takes the sting out."""
    results = []
    for target in targets:
        if target.path is not None and paths.is_stream(target.path):
            continue
        undo = undo_of(target, bench.where)
        inside_git = target.path is not None and "/.git" in target.path
        results.append(
            found(
                "delete",
                (target.shown,),
                target.place,
                phrase,
                undo="no" if inside_git else undo,
                noun=noun_of(target, bench.where, recursive),
            )
        )
    return results


def rm(call: Call, bench: Bench) -> list[Finding]:
    """rm, unlink, shred, srm, trash and their kin. Without operands nothing happens."""
    got = options.parse(call.args, ("n", "s", "iterations", "size") if call.name == "shred" else ())
    if got.has("help", "version") and not got.operands:
        return []
    if call.name == "shred":
        return deleted(targets_of(got.operands, call, bench), bench, recursive=False)
    if not got.operands and call.stdin is not None and call.wrapped:
        return [unknown(call.name)]
    return deleted(targets_of(got.operands, call, bench), bench, recursive=got.has("r", "R", "recursive"))


def rmdir(call: Call, bench: Bench) -> list[Finding]:
    """Only removes what is empty; cmd's and PowerShell's forms do not."""
    if any(text.lower() in ("/s", "/q", "-recurse", "-r", "-force") for text in call.texts):
        words = [word for word in call.args if not word.text.startswith(("/s", "/S", "/q", "/Q", "-"))]
        return deleted(targets_of(words, call, bench), bench, recursive=True)
    got = options.parse(call.args)
    targets = targets_of(got.operands, call, bench)
    return [
        found("delete", (t.shown,), t.place, "delete_empty", undo="yes", noun="folder")
        for t in targets
        if t.place not in ("project", "temp")
    ]


def truncate(call: Call, bench: Bench) -> list[Finding]:
    """Cuts files to a size."""
    got = options.parse(call.args, ("s", "size", "r", "reference", "o"))
    size = got.value("s", "size") or "0"
    if size.startswith("+"):
        return []
    return [f for t in targets_of(got.operands, call, bench) if (f := write(t, bench.where, empties=True))]


def dd(call: Call, bench: Bench) -> list[Finding]:
    """Writes to ``of=``."""
    outs = [w for w in call.args if w.text.startswith("of=")]
    words = [Word(w.text[3:], w.known, w.glob, w.quoted, w.if_empty[3:]) for w in outs]
    return [f for t in targets_of(words, call, bench) if (f := write(t, bench.where))]


def patch(call: Call, bench: Bench) -> list[Finding]:
    """Changes files that a diff names; ordinary work below the project."""
    got = options.parse(call.args, ("d", "directory", "i", "input", "o", "output", "p", "r"))
    if got.has("dry-run", "help", "version"):
        return []
    words = [*got.values.get("d", []), *got.values.get("directory", []), *got.values.get("o", []), *got.operands[:1]]
    return edited(targets_of(words, call, bench), bench)


def mkfs(call: Call, bench: Bench) -> list[Finding]:
    """Formats, partitions or wipes a device."""
    got = options.parse(call.args, ("t", "L", "n"))
    if call.name in ("fdisk", "parted", "sgdisk", "diskutil") and (
        got.has("l", "list", "p", "print") or any(w.text in ("list", "info", "print") for w in got.operands)
    ):
        return []
    named = tuple(word.text for word in got.operands)
    targets = tuple(text for text in named if text.startswith("/dev/")) or named[-1:] or (call.name,)
    return [found("destroy", targets, "system", "format_device", noun="device")]


def mv(call: Call, bench: Bench) -> list[Finding]:
    """Moves: out of the project it is gone, onto something else that is gone."""
    got = options.parse(call.args, ("t", "target-directory", "S", "suffix"))
    into = got.values.get("t") or got.values.get("target-directory")
    sources, goal = (got.operands, into[-1]) if into else (got.operands[:-1], (got.operands or [literal("")])[-1])
    if not sources:
        return []
    results = _moved_away(sources, goal, call, bench)
    if not got.has("n", "no-clobber", "b", "backup"):
        results += _landed(sources, goal, call, bench)
    return results


def _moved_away(sources: list[Word], goal: Word, call: Call, bench: Bench) -> list[Finding]:
    destination = resolve(goal, call.scope, bench.where)
    origin = targets_of(sources, call, bench)
    if destination.path == "/dev/null":
        return deleted(origin, bench, recursive=True)
    if destination.place == "project" and all(t.place in ("project", "temp") for t in origin):
        return []
    if destination.place == "temp" and all(t.place == "temp" for t in origin):
        return []
    # What leaves its place counts like a delete there; one sentence names both ends.
    return [found("delete", (t.shown,), t.place, "move_away", undo=undo_of(t, bench.where)) for t in origin]


def _landed(sources: list[Word], goal: Word, call: Call, bench: Bench) -> list[Finding]:
    destination = resolve(goal, call.scope, bench.where)
    if destination.path is None:
        return [found("overwrite", (goal.text,), "unknown", "overwrite", undo="unknown", noun="file")]
    if destination.path == "/dev/null" or paths.is_temp_root(destination.path):
        return []
    if not bench.where.is_dir(destination.path):
        one = write(destination, bench.where) if not goal.text.endswith("/") else _kept(destination, bench)
        return [one] if one else []
    names = [literal(f"{destination.path}/{w.text.rstrip('/').rsplit('/', 1)[-1]}") for w in sources if not w.glob]
    return [f for t in targets_of(names, call, bench) if (f := write(t, bench.where))] + (
        [one] if (one := _kept(destination, bench)) else []
    )


def _kept(target: Target, bench: Bench) -> Finding | None:
    """Putting something into a folder that is guarded or lies outside."""
    if target.path is None:
        return None
    if (kept := guarded(target.path + "/x", target.shown, bench.where)) is not None:
        return kept
    if target.place in ("project", "temp") or paths.is_temp_root(target.path):
        return None
    return found("overwrite", (target.shown,), target.place, "write_outside", noun="folder")


def compress(call: Call, bench: Bench) -> list[Finding]:
    """gzip and its kin: the content stays, under another name beside it."""
    got = options.parse(call.args, ("S", "suffix", "o", "T", "p"))
    if got.has("c", "l", "t", "stdout", "list", "test", "to-stdout"):
        return []
    targets = [*targets_of(got.operands, call, bench), *targets_of(got.values.get("o", []), call, bench)]
    forced = got.has("f", "force") and (got.has("d", "decompress") or call.name.startswith(("un", "gun", "bun")))
    unpacked = [literal(re.sub(r"\.(gz|bz2|xz|zst|lz4|lzma|Z)$", "", w.text)) for w in got.operands if forced]
    results = [f for t in targets_of(unpacked, call, bench) if (f := write(t, bench.where))]
    return results + [f for t in targets if (f := _kept(t, bench))]


def cp(call: Call, bench: Bench) -> list[Finding]:
    """Copies, links and installs: judged by what they land on."""
    got = options.parse(call.args, ("t", "target-directory", "S", "suffix", "m", "mode", "o", "g", "owner", "group"))
    if call.name == "install" and got.has("d", "directory"):
        return [f for t in targets_of(got.operands, call, bench) if (f := _kept(t, bench))]
    into = got.values.get("t") or got.values.get("target-directory")
    sources, goal = (got.operands, into[-1]) if into else (got.operands[:-1], (got.operands or [literal("")])[-1])
    if not sources or (call.name != "ln" and got.has("n", "no-clobber")):
        return []
    if call.name == "ln" and not got.has("f", "force"):
        target = resolve(goal, call.scope, bench.where)
        return [one] if (one := _kept(target, bench)) else []
    return _landed(sources, goal, call, bench)


def tee(call: Call, bench: Bench) -> list[Finding]:
    """Writes what passes through."""
    got = options.parse(call.args)
    append = got.has("a", "append")
    return [f for t in targets_of(got.operands, call, bench) if (f := write(t, bench.where, append=append))]


def chmod(call: Call, bench: Bench) -> list[Finding]:
    """Rights and owners: recursive, wide open or outside the project."""
    got = options.parse(call.args, ("reference", "from"))
    words = got.operands[1:] if "reference" not in got.values else got.operands
    targets = targets_of(words, call, bench)
    mode = got.operands[0].text if got.operands else ""
    wide = call.name == "chmod" and (mode in ("777", "0777", "666", "000", "a+rwx", "a+w", "o+w") or "+s" in mode)
    recursive = got.has("R", "recursive")
    if call.name == "chattr":
        targets = targets_of([w for w in call.args if not re.match(r"[-+=][A-Za-z]", w.text)], call, bench)
    plain = call.name == "chmod" and not wide and not recursive
    bad = [t for t in targets if not (plain and t.place in ("project", "temp"))]
    return [found("configure", (t.shown,), t.place, "rights", noun=noun_of(t, bench.where, recursive)) for t in bad]


def rsync(call: Call, bench: Bench) -> list[Finding]:
    """Copies between folders or hosts; ``--delete`` removes what is not at the source."""
    got = options.parse(call.args, ("e", "rsh", "exclude", "include", "filter", "files-from", "log-file"))
    if got.has("n", "dry-run") and "dry-run" in (*got.long, *(["dry-run"] if "n" in got.short else [])):
        return []
    if len(got.operands) < 2:
        return []
    for word in (*got.values.get("e", []), *got.values.get("rsh", [])):
        bench.nested(word.text, call.scope.fork())
    if "remove-source-files" in got.long:
        return deleted(targets_of(got.operands[:-1], call, bench), bench, recursive=True)
    goal = got.operands[-1]
    remote = _remote(goal.text)
    place: Place = "remote" if remote else resolve(goal, call.scope, bench.where).place
    if any(name.startswith("del") for name in got.long):
        return [found("delete", (goal.text,), place, "mirror_delete", noun="folder")]
    if remote:
        return [found("send", tuple(w.text for w in got.operands[:-1]), "remote", "send_to", noun="file")]
    one = _kept(resolve(goal, call.scope, bench.where), bench)
    return [one] if one else []


def _remote(text: str) -> bool:
    head = text.split("/", 1)[0]
    return ":" in head or text.startswith("rsync://")


def archive(call: Call, bench: Bench) -> list[Finding]:
    """tar, unzip, 7z: what unpacking overwrites, what packing removes."""
    texts = call.texts
    first = texts[0].lstrip("-") if texts else ""
    got = options.parse(call.args, ("f", "file", "C", "directory", "d", "exclude", "T"))
    if got.has("remove-files") or (call.name == "zip" and got.has("m")):
        return deleted(targets_of(got.operands[-1:], call, bench), bench, recursive=True)
    if any(name in got.long for name in ("to-command", "checkpoint-action", "use-compress-program", "rsh-command")):
        return [unknown(call.name)]
    listing = got.has("t", "list", "l") or "t" in first[:3]
    unpacks = call.name in ("unzip", "7z", "unrar", "cpio") or "x" in first or got.has("extract", "x")
    if listing:
        return []
    if not unpacks:
        return _packed(got, call, bench) if call.name in ("tar", "bsdtar", "gtar") else []
    into = got.values.get("C") or got.values.get("directory") or (got.values.get("d") if call.name == "unzip" else None)
    target = resolve(into[-1], call.scope, bench.where) if into else resolve(literal("."), call.scope, bench.where)
    if got.has("o", "overwrite", "unlink-first", "recursive-unlink") and call.name != "7z" and target.path:
        return [found("overwrite", (target.shown,), target.place, "unpack_over", undo="unknown", noun="folder")]
    if target.place in ("system", "root"):
        return [found("overwrite", (target.shown,), target.place, "write_outside", noun="folder")]
    one = _kept(target, bench)
    return [one] if one else []


def _packed(got: options.Options, call: Call, bench: Bench) -> list[Finding]:
    """The archive that packing writes, where the options name it."""
    words = [w for w in (*got.values.get("f", []), *got.values.get("file", [])) if w.text != "-" and ":" not in w.text]
    return [f for t in targets_of(words, call, bench) if (f := write(t, bench.where))]


def sed(call: Call, bench: Bench) -> list[Finding]:
    """Only ``-i`` writes; the ``e`` and ``w`` commands of a script do things of their own."""
    got = options.parse(call.args, ("e", "expression", "f", "file", "l", "s"))
    inplace = "i" in got.short or any(name.startswith("in-pl") for name in got.long)
    scripted = bool(got.values.get("e") or got.values.get("expression") or got.values.get("f"))
    script = got.value("e", "expression") or (got.operands[0].text if got.operands else "")
    results: list[Finding] = []
    if _runs_shell(script):
        results.append(unknown("sed script that runs commands"))
    results += _sed_writes(script, call, bench)
    if inplace:
        words = got.operands if scripted else got.operands[1:]
        results += edited(targets_of(words, call, bench), bench)
    return results


def _sed_writes(script: str, call: Call, bench: Bench) -> list[Finding]:
    """The ``w`` command and flag write the rest of the line's file."""
    names = re.findall(r"(?:^|[;{}\s/\d$])[wW]\s+([^\s;}]+)", script)
    return [f for t in targets_of([literal(n) for n in names], call, bench) if (f := write(t, bench.where))]


def edited(targets: Iterable[Target], bench: Bench) -> list[Finding]:
    """Files changed in place: in the project that is an ordinary edit of what git holds."""
    results: list[Finding] = []
    for target in targets:
        if target.path is None:
            results.append(found("overwrite", (target.shown,), "unknown", "edit", undo="unknown", noun="file"))
        elif (kept := guarded(target.path, target.shown, bench.where)) is not None:
            results.append(kept)
        elif target.place not in ("project", "temp"):
            results.append(found("overwrite", (target.shown,), target.place, "write_outside", noun="file"))
        elif paths.is_credential(target.path) or paths.is_data(target.path):
            results.append(found("overwrite", (target.shown,), target.place, "edit", undo="no", noun="file"))
    return results


# The command e, alone or with its text, behind any address; and the flag e of s.
_SED_RUNS = re.compile(
    r"(?:^|[;{\n])\s*(?:[\d$,~+!\s]*|/(?:[^/\\\n]|\\.)*/[I!,\s]*)e(?:\s|$)|(?<=[/|#,@])[gpIiMm\d]*e[gpIiMm\d]*\s*(?:$|[;}\n])"
)


def _runs_shell(script: str) -> bool:
    return _SED_RUNS.search(script) is not None
