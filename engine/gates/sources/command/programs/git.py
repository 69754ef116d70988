"""git: the global options and aliases in front, then one judge a subcommand."""

from collections.abc import Callable
from dataclasses import replace

from engine.domain.gates import Place
from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call, Scope, unknown
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs import git_push, git_tree
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word, literal
from engine.gates.sources.command.writes import write

Sub = Callable[[Call, Bench], list[Finding]]

_HARMLESS = frozenset(
    [
        "status",
        "log",
        "diff",
        "show",
        "blame",
        "annotate",
        "shortlog",
        "describe",
        "rev-parse",
        "rev-list",
        "ls-files",
        "ls-tree",
        "ls-remote",
        "grep",
        "fetch",
        "add",
        "commit",
        "merge-base",
        "name-rev",
        "cat-file",
        "show-ref",
        "for-each-ref",
        "var",
        "version",
        "help",
        "whatchanged",
        "cherry",
        "range-diff",
        "bisect",
        "init",
        "clone",
        "pull",
        "merge",
        "cherry-pick",
        "revert",
        "mv",
        "format-patch",
        "archive",
        "bundle",
        "count-objects",
        "fsck",
        "verify-commit",
        "verify-tag",
        "sparse-checkout",
        "check-ignore",
        "check-attr",
        "diff-tree",
        "diff-index",
        "diff-files",
        "show-branch",
        "request-pull",
        "notes",
        "rerere",
        "maintenance",
        "gui",
        "citool",
        "instaweb",
        "symbolic-ref",
        "stripspace",
        "column",
        "fmt-merge-msg",
        "interpret-trailers",
        "lfs",
        "hash-object",
        "write-tree",
        "commit-tree",
        "read-tree",
        "mktag",
        "cherry-mark",
        "get-tar-commit-id",
        "pack-objects",
        "unpack-file",
        "ls-remote",
        "shell",
        "whatchanged",
        "difftool",
        "mergetool",
        "svn",
        "flow",
    ]
)
_VIEWERS = frozenset(("cat", "less", "more", "delta", "true", "false", ":", "vim", "vi", "nano", "code", "bat"))
_RUNNING_TAILS = (
    *(".clean", ".smudge", ".driver", ".command", ".process", ".textconv", ".cmd", ".helper"),
    *(".uploadpack", ".receivepack", ".proxy", ".vcs"),
)
_FAR = ("upload-pack", "receive-pack", "exec")
_TAKES = ("C", "c", "git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env")


def git(call: Call, bench: Bench) -> list[Finding]:
    """Peel ``-C`` and ``-c``, resolve aliases, judge the subcommand."""
    got = options.parse(call.args, _TAKES, stop_early=True)
    scope = _folder(call, got, bench)
    results = _config_given(got, call, scope, bench)
    if got.value("exec-path"):
        results.append(unknown("git programs of another folder"))
    if not got.operands or call.texts[-1:] in (["-h"], ["--help"]):
        return results
    sub = got.operands[0].text
    rest = replace(call, name=sub, args=tuple(got.operands[1:]), scope=scope)
    judge = _SUBS.get(sub)
    if judge is not None:
        return results + judge(rest, bench)
    if sub in _HARMLESS:
        return results + _harmless(rest, bench)
    return results + _alias(sub, rest, got, bench)


def _folder(call: Call, got: options.Options, bench: Bench) -> Scope:
    scope = call.scope.fork()
    for word in got.values.get("C", []):
        scope.cwd = resolve(word, scope, bench.where).path
    tree = [v for k, v in call.env if k == "GIT_WORK_TREE"]
    if tree:
        scope.cwd = resolve(literal(tree[0]), scope, bench.where).path
    return scope


def _config_given(got: options.Options, call: Call, scope: Scope, bench: Bench) -> list[Finding]:
    results = []
    for word in got.values.get("c", []):
        key, _, value = word.text.partition("=")
        if _shows(key) and value:
            _program(value, scope, bench)
        elif _runs(key) and value and value not in ("cat", "true", "false", ":"):
            results.append(found("execute", (value,), "unknown", "git_config_runs", undo="unknown"))
    for name, value in call.env:
        if name in ("GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS"):
            bench.nested(value, scope)
    return results


def _shows(key: str) -> bool:
    """Configuration keys that name a pager or an editor."""
    low = key.lower()
    return low in ("core.pager", "core.editor", "sequence.editor", "interactive.difffilter") or low.startswith("pager.")


def _program(value: str, scope: Scope, bench: Bench) -> None:
    """A pager or editor, which git hands to a shell; the usual ones only show or ask."""
    if value.split()[0].rsplit("/", 1)[-1] not in _VIEWERS:
        bench.nested(value, scope.fork())


def _runs(key: str) -> bool:
    """Configuration keys whose value git runs as a command."""
    low = key.lower()
    exact = (
        "core.sshcommand",
        "core.hookspath",
        "core.fsmonitor",
        "core.gitproxy",
        "core.askpass",
        "diff.external",
        "credential.helper",
        "gpg.program",
        "gpg.ssh.program",
        "uploadpack.packobjectshook",
        "protocol.ext.allow",
    )
    return low in exact or (
        low.startswith(("filter.", "merge.", "diff.", "difftool.", "mergetool.", "credential.", "remote.", "browser."))
        and low.endswith(_RUNNING_TAILS)
    )


def _harmless(call: Call, bench: Bench) -> list[Finding]:
    """Reading and ordinary work; the exceptions are a few options."""
    got = options.parse(call.args, ("o", "output", "m", "message", "F", "file", *_FAR, "u", "x", "c", "config"))
    if any(name in _FAR for name in got.long) or (call.name in ("clone", "ls-remote") and "u" in got.short):
        return [unknown(f"git {call.name} with a program of its own")]
    if any(w.text.startswith("ext::") for w in got.operands):
        return [unknown(f"git {call.name} over a program")]
    if call.name == "clone":
        given = [w for name in ("c", "config") for w in got.values.get(name, [])]
        return _config_given(options.Options(values={"c": given}), call, call.scope, bench) + _cloned(got, call, bench)
    if call.name == "read-tree" and got.has("reset", "u"):
        return [found("overwrite", ("the working tree",), "project", "restore", noun="file")]
    if call.name == "symbolic-ref" and (len(got.operands) > 1 or got.has("d", "delete")):
        return [found("rewrite_history", (got.operands[0].text,), "project", "branch_moved", noun="branch")]
    if call.name == "lfs" and got.operands[:1] and got.operands[0].text == "prune":
        return [found("delete", ("git lfs objects",), "project", "git_prune")]
    if call.name in ("difftool", "mergetool", "bisect") and (got.value("x", "extcmd") or _bisect_run(got)):
        _run_rest(call, bench)
    if call.name == "commit" and "amend" in got.long and "dry-run" not in got.long:
        return [found("rewrite_history", ("the last commit",), "project", "amend", undo="git")]
    if call.name == "svn" and any(w.text == "dcommit" for w in got.operands):
        return [found("publish", ("svn",), "remote", "publish")]
    names = ("output", "o") if call.name in ("archive", "bundle") else ("output",)
    out = [w for name in names for w in got.values.get(name, [])]
    return [f for w in out if (f := write(resolve(w, call.scope, bench.where), bench.where))]


def _patched(call: Call, bench: Bench) -> list[Finding]:
    """Patches may name any file once they are let out of the working tree."""
    got = options.parse(call.args, ("directory", "p", "C", "exclude", "include"))
    if got.has("check", "stat", "numstat", "summary"):
        return []
    targets = [resolve(w, call.scope, bench.where) for w in got.values.get("directory", [])]
    far = [t for t in targets if t.place not in ("project", "temp")]
    if "unsafe-paths" in got.long and not far:
        return [unknown("git apply --unsafe-paths")]
    return [found("overwrite", (t.shown,), t.place, "write_outside", noun="folder") for t in far]


def _cloned(got: options.Options, call: Call, bench: Bench) -> list[Finding]:
    """A clone lands in a new folder, which may lie elsewhere."""
    where = [w for w in got.operands[1:2] if w.known]
    targets = [resolve(w, call.scope, bench.where) for w in where]
    return [f for t in targets if t.place in ("system", "root", "home") and (f := write(t, bench.where))]


def _bisect_run(got: options.Options) -> bool:
    return bool(got.operands) and got.operands[0].text == "run"


def _run_rest(call: Call, bench: Bench) -> None:
    inner = call.shifted(1)
    if inner is not None and call.name == "bisect":
        bench.judge_call(bench, inner)
    elif inner is not None:
        bench.add([unknown("git " + call.name)])


def _alias(sub: str, call: Call, got: options.Options, bench: Bench) -> list[Finding]:
    given = [
        w.text.partition("=")[2] for w in got.values.get("c", []) if w.text.lower().startswith(f"alias.{sub.lower()}=")
    ]
    value = given[-1] if given else bench.where.git_alias(sub, call.scope.cwd or bench.where.cwd)
    if value is None:
        return [unknown(f"git {sub}")]
    if value.startswith("!"):
        bench.nested(value[1:] + " " + " ".join(_quote(w) for w in call.args), call.scope)
    else:
        bench.nested("git " + value + " " + " ".join(_quote(w) for w in call.args), call.scope)
    return []


def _quote(word: Word) -> str:
    return "'" + word.text.replace("'", "'\\''") + "'"


def config(call: Call, bench: Bench) -> list[Finding]:
    """Setting a key that git runs later hides a command behind a harmless name."""
    got = options.parse(call.args, ("f", "file", "blob", "type", "default"))
    words = [w.text for w in got.operands]
    if words[:1] and words[0] in ("set", "get", "list", "unset", "edit", "get-all"):
        verb, *words = words
        if verb in ("get", "list", "get-all"):
            return []
    if got.has("get", "list", "l", "get-all", "get-regexp", "show-origin") and len(words) < 2:
        return []
    if got.has("remove-section", "unset-all"):
        return [found("configure", tuple(words) or ("section",), "project", "git_config")]
    if len(words) < 2:
        return []
    if words[0].lower().startswith("alias."):
        return _alias_set(words, bench, call)
    if _runs(words[0]) or words[0].lower() in ("core.editor", "core.pager", "sequence.editor"):
        place: Place = "system" if got.has("system") else "home" if got.has("global") else "project"
        return [found("configure", (words[0],), place, "git_config_program")]
    return [found("configure", (words[0],), "home", "git_config")] if got.has("system") else []


def _alias_set(words: list[str], bench: Bench, call: Call) -> list[Finding]:
    """An alias is as bad as what it stands for, since its later use shows nothing."""
    before = len(bench.findings)
    bench.nested(words[1][1:] if words[1].startswith("!") else f"git {words[1]}", call.scope)
    if len(bench.findings) == before and not words[1].startswith("!"):
        return []
    del bench.findings[before:]
    return [found("configure", (words[0],), "project", "git_alias")]


def submodule(call: Call, bench: Bench) -> list[Finding]:
    """Submodules: ``foreach`` runs a command, ``deinit`` removes."""
    words = [w for w in call.args if not w.text.startswith("-")]
    verb = words[0].text if words else "status"
    if verb == "foreach":
        bench.nested(" ".join(w.text for w in words[1:]), call.scope)
        return []
    if verb == "deinit":
        return [
            found("delete", tuple(w.text for w in words[1:]) or ("submodules",), "project", "delete", noun="folder")
        ]
    return []


_SUBS: dict[str, Sub] = {
    "push": git_push.push,
    "config": config,
    "submodule": submodule,
    "apply": _patched,
    "am": _patched,
    **git_tree.SUBS,
}
