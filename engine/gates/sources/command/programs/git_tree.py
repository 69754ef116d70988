"""git commands that throw away work: resets, cleans, checkouts, branches, stashes, rewriting."""

from collections.abc import Callable

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.programs.git_push import full_names
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word

_RESET = [
    "hard",
    "soft",
    "mixed",
    "keep",
    "merge",
    "patch",
    "quiet",
    "no-refresh",
    "pathspec-from-file",
    "intent-to-add",
    "recurse-submodules",
]
_CLEAN = ["force", "dry-run", "interactive", "quiet", "exclude"]
_BRANCH = [
    "delete",
    "force",
    "move",
    "copy",
    "list",
    "all",
    "remotes",
    "merged",
    "no-merged",
    "contains",
    "show-current",
    "set-upstream-to",
    "unset-upstream",
    "track",
]


def _here(call: Call, bench: Bench) -> str:
    return call.scope.cwd or bench.where.cwd


def _lost(call: Call, bench: Bench, targets: tuple[str, ...], phrase: str = "discard") -> list[Finding]:
    """Uncommitted changes thrown away; nothing is lost where git says that all is clean."""
    count = bench.where.dirty(_here(call, bench))
    if count == 0:
        return [found("overwrite", targets, "project", "discard_clean", undo="git", noun="file")]
    return [found("overwrite", targets, "project", phrase, noun="file", count=count or 0)]


def reset(call: Call, bench: Bench) -> list[Finding]:
    """``--hard`` and ``--merge`` overwrite files; moving a branch alone can be taken back."""
    got = options.parse(call.args, ("pathspec-from-file", "U"))
    names = full_names(got, _RESET)
    if names & {"hard", "merge"}:
        count = bench.where.dirty(_here(call, bench))
        target = (got.operands[0].text,) if got.operands else ("HEAD",)
        # Commits left behind stay in the reflog; changes that were never committed do not.
        return [found("overwrite", target, "project", "reset_hard", noun="file", count=count or 0)]
    if names & {"keep", "soft", "mixed"} and got.operands and got.operands[0].text != "HEAD":
        return [found("rewrite_history", (got.operands[0].text,), "project", "reset_soft", undo="git", noun="commit")]
    return []


def clean(call: Call, bench: Bench) -> list[Finding]:
    """Deletes what git does not know."""
    got = options.parse(call.args, ("e", "exclude"))
    names = full_names(got, _CLEAN)
    if "dry-run" in names or "n" in got.short or not ("force" in names or "f" in got.short):
        return []
    targets = tuple(w.text for w in got.operands) or (".",)
    return [found("delete", targets, "project", "git_clean", noun="file")]


def checkout(call: Call, bench: Bench) -> list[Finding]:
    """Switching branches is work; restoring paths or forcing overwrites changes."""
    got = options.parse(call.args, ("b", "B", "orphan", "conflict", "pathspec-from-file"))
    names = full_names(
        got, ["force", "ours", "theirs", "detach", "track", "orphan", "patch", "discard-changes", "merge"]
    )
    if "B" in got.short:
        return [found("rewrite_history", tuple(w.text for w in got.values["B"]), "project", "branch_moved", undo="git")]
    if "b" in got.short or "orphan" in names:
        return []
    if names & {"force", "discard-changes"} or "f" in got.short:
        return _lost(call, bench, tuple(w.text for w in got.operands) or ("HEAD",))
    words = got.after_dashes if got.dashes else _paths(got.operands, call, bench)
    return _restored(words, call, bench)


def _paths(operands: list[Word], call: Call, bench: Bench) -> list[Word]:
    """Operands that can only be paths: after a tree-ish, or what stands there."""
    if len(operands) > 1:
        return operands[1:]
    return [w for w in operands if w.text in (".", "./", ":/", "*") or w.glob or _is_path(w, call, bench)]


def _is_path(word: Word, call: Call, bench: Bench) -> bool:
    path = resolve(word, call.scope, bench.where).path
    return path is not None and bench.where.exists(path) and not bench.where.is_dir(path.rstrip("/") + "/.git/x")


def _restored(words: list[Word], call: Call, bench: Bench) -> list[Finding]:
    dirty = []
    for word in words:
        path = resolve(word, call.scope, bench.where).path
        if path is None or word.glob or not bench.where.tracked_clean(path):
            dirty.append(word.text)
    return [found("overwrite", tuple(dirty), "project", "restore", noun="file")] if dirty else []


def restore(call: Call, bench: Bench) -> list[Finding]:
    """Unstaging alone is harmless."""
    got = options.parse(call.args, ("s", "source", "pathspec-from-file"))
    names = full_names(got, ["staged", "worktree", "source", "ours", "theirs", "patch", "merge"])
    staged, worktree = "staged" in names or "S" in got.short, "worktree" in names or "W" in got.short
    return [] if staged and not worktree else _restored(got.operands, call, bench)


def switch(call: Call, bench: Bench) -> list[Finding]:
    """Switching refuses to lose changes unless told otherwise."""
    got = options.parse(call.args, ("c", "C", "orphan"))
    names = full_names(
        got, ["force", "discard-changes", "create", "force-create", "detach", "orphan", "guess", "merge"]
    )
    if names & {"force", "discard-changes"} or "f" in got.short:
        return _lost(call, bench, tuple(w.text for w in got.operands) or ("HEAD",))
    if "C" in got.short or "force-create" in names:
        return [found("rewrite_history", tuple(w.text for w in got.operands), "project", "branch_moved", undo="git")]
    return []


def branch(call: Call, bench: Bench) -> list[Finding]:
    """``-D`` and forced moves lose commits; ``-d`` refuses to."""
    got = options.parse(call.args, ("u", "set-upstream-to", "contains", "sort", "format", "points-at"))
    names = full_names(got, _BRANCH)
    force = "force" in names or "f" in got.short
    targets = tuple(w.text for w in got.operands) or ("a branch",)
    if "D" in got.short or (force and ("d" in got.short or "delete" in names)):
        return [found("delete", targets, "project", "delete_branch", noun="branch")]
    if force or got.short & {"M", "C"}:
        return [found("rewrite_history", targets, "project", "branch_moved", noun="branch")]
    if "d" in got.short or "delete" in names:
        return [found("delete", targets, "project", "delete_branch", undo="git", noun="branch")]
    return []


def tag(call: Call, bench: Bench) -> list[Finding]:
    """Deleted and moved tags."""
    got = options.parse(call.args, ("m", "message", "F", "file", "u", "n", "sort", "format"))
    targets = tuple(w.text for w in got.operands) or ("a tag",)
    if got.has("d", "delete"):
        return [found("delete", targets, "project", "delete_tag", noun="tag")]
    if "f" in got.short or "force" in got.long:
        return [found("rewrite_history", targets, "project", "tag_moved", noun="tag")]
    return []


def stash(call: Call, bench: Bench) -> list[Finding]:
    """Dropped stashes are as good as gone."""
    words = [w.text for w in call.args if not w.text.startswith("-")]
    if words[:1] and words[0] in ("drop", "clear"):
        return [
            found(
                "delete",
                tuple(words[1:]) or ("the latest stash" if words[0] == "drop" else "every stash",),
                "project",
                f"stash_{words[0]}",
                noun="stash",
            )
        ]
    return []


def rm(call: Call, bench: Bench) -> list[Finding]:
    """Removes from the index and the folder; refuses changed files unless forced."""
    got = options.parse(call.args, ("pathspec-from-file",))
    if got.has("cached") or "n" in got.short or "dry-run" in got.long:
        return []
    undo = "no" if "f" in got.short or "force" in got.long else "git"
    return [
        found(
            "delete",
            (w.text,),
            resolve(w, call.scope, bench.where).place,
            "delete",
            undo="no" if undo == "no" else "git",
            noun="file",
        )
        for w in got.operands
    ]


def rebase(call: Call, bench: Bench) -> list[Finding]:
    """Rewrites commits of this branch (the reflog keeps the old ones); ``--exec`` runs commands."""
    got = options.parse(call.args, ("x", "exec", "onto", "s", "strategy", "X"))
    for word in [*got.values.get("x", []), *got.values.get("exec", [])]:
        bench.nested(word.text, call.scope)
    if got.has("abort", "continue", "skip", "quit", "show-current-patch"):
        return []
    return [
        found("rewrite_history", tuple(w.text for w in got.operands) or ("upstream",), "project", "rebase", undo="git")
    ]


def rewriting(call: Call, bench: Bench) -> list[Finding]:
    """filter-branch, filter-repo, replace, update-ref: history itself is changed."""
    if call.name == "update-ref" and "-d" not in call.texts and "--stdin" not in call.texts:
        return [found("rewrite_history", tuple(call.texts), "project", "branch_moved", noun="branch")]
    for index, text in enumerate(call.texts[:-1]):
        if text.endswith("-filter"):
            bench.nested(call.texts[index + 1], call.scope)
    return [found("rewrite_history", (f"git {call.name}",), "project", "filter_history")]


def reflog(call: Call, bench: Bench) -> list[Finding]:
    """The reflog is the net under all else."""
    words = [w.text for w in call.args if not w.text.startswith("-")]
    bad = words[:1] and words[0] in ("expire", "delete") and "-n" not in call.texts and "--dry-run" not in call.texts
    return [found("delete", ("reflog",), "project", "reflog")] if bad else []


def gc(call: Call, bench: Bench) -> list[Finding]:
    """Pruning now removes what only the reflog or nothing points to."""
    bad = call.name in ("prune", "prune-packed") or any(
        t.startswith("--prune") and t != "--prune=never" for t in call.texts
    )
    if not bad or "-n" in call.texts or "--dry-run" in call.texts:
        return []
    return [found("delete", ("unreachable commits",), "project", "git_prune")]


def worktree(call: Call, bench: Bench) -> list[Finding]:
    """Removing a worktree deletes its folder."""
    words = [w for w in call.args if not w.text.startswith("-")]
    if not words or words[0].text != "remove":
        return []
    forced = any(t in ("-f", "--force", "-ff") or t.startswith("--f") for t in call.texts)
    return [
        found(
            "delete",
            (w.text,),
            resolve(w, call.scope, bench.where).place,
            "delete",
            undo="no" if forced else "git",
            noun="folder",
        )
        for w in words[1:]
    ]


def remote(call: Call, bench: Bench) -> list[Finding]:
    """Remotes can be added again; a changed address sends later pushes elsewhere."""
    words = [w.text for w in call.args if not w.text.startswith("-")]
    if words[:1] and words[0] in ("remove", "rm", "set-url", "rename"):
        return [found("configure", tuple(words[1:2]), "project", "git_remote", undo="unknown")]
    return []


SUBS: dict[str, Callable[[Call, Bench], list[Finding]]] = {
    "reset": reset,
    "clean": clean,
    "checkout": checkout,
    "checkout-index": lambda call, bench: (
        _lost(call, bench, ("index",)) if "-f" in call.texts or "-fa" in call.texts else []
    ),
    "restore": restore,
    "switch": switch,
    "branch": branch,
    "tag": tag,
    "stash": stash,
    "rm": rm,
    "rebase": rebase,
    "filter-branch": rewriting,
    "filter-repo": rewriting,
    "replace": rewriting,
    "update-ref": rewriting,
    "reflog": reflog,
    "gc": gc,
    "prune": gc,
    "worktree": worktree,
    "remote": remote,
    "send-email": lambda call, bench: [found("send", tuple(call.texts), "remote", "send")],
}
