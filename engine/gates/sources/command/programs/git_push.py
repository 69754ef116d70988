"""git push: an ordinary one is work, all that forces, deletes or mirrors is not."""

import re

from engine.gates.sources.command import options
from engine.gates.sources.command.call import Bench, Call
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.words import Word

_LONG = [
    "all",
    "branches",
    "mirror",
    "delete",
    "tags",
    "follow-tags",
    "dry-run",
    "porcelain",
    "quiet",
    "verbose",
    "progress",
    "force",
    "force-with-lease",
    "force-if-includes",
    "prune",
    "set-upstream",
    "thin",
    "atomic",
    "push-option",
    "receive-pack",
    "exec",
    "repo",
    "recurse-submodules",
    "no-verify",
    "signed",
    "ipv4",
    "ipv6",
    "no-force-with-lease",
    "no-thin",
    "no-signed",
    "no-recurse-submodules",
    "no-force",
    "no-follow-tags",
]


_ADDRESS = re.compile(r"\w[\w+.-]*://|[\w.-]+@[\w.-]+:|\.\.?/|[/~]")


def full_names(got: options.Options, known: list[str]) -> set[str]:
    """What the long options may mean: git takes any unambiguous beginning, an ambiguous one counts as each."""
    names: set[str] = set()
    for given in got.long:
        names |= {given} if given in known else {name for name in known if name.startswith(given)}
    return names


def push(call: Call, bench: Bench) -> list[Finding]:
    """The effects of one push."""
    got = options.parse(call.args, ("o", "push-option", "receive-pack", "exec", "repo"))
    names = full_names(got, _LONG)
    if "dry-run" in names or "n" in got.short:
        return []
    results: list[Finding] = []
    refs = [w for w in got.operands[1:] if w.text]
    goal = got.operands[0].text if got.operands else ""
    if _ADDRESS.match(goal):  # no remote that somebody has set up for this project
        results.append(found("send", (goal,), "remote", "send", noun="address"))
    if names & {"mirror", "prune"}:
        results.append(found("destroy", _remote(got), "remote", "git_mirror", noun="branch"))
    if "delete" in names or "d" in got.short:
        results.append(found("delete", _shown(refs, got), "remote", "delete_branch_remote", noun="branch"))
    if names & {"force", "force-with-lease"} or "f" in got.short:
        phrase = "rewrite" if refs else "rewrite_current" if got.operands else "rewrite_followed"
        results.append(found("rewrite_history", _shown(refs, got), "remote", phrase, noun="branch"))
    if names & {"receive-pack", "exec"}:
        results.append(found("execute", _remote(got), "remote", "run_remote"))
    return results + [f for ref in refs for f in _refspec(ref)]


def _refspec(word: Word) -> list[Finding]:
    text = word.text
    if text.startswith("+"):
        return [found("rewrite_history", (text[1:].split(":")[-1],), "remote", "rewrite", noun="branch")]
    if text.startswith(":") and len(text) > 1:
        return [found("delete", (text[1:],), "remote", "delete_branch_remote", noun="branch")]
    if not word.known and text.startswith(("$", "`")) and not _names_branch(text):
        return [found("unknown", (text,), "remote", "unknown", undo="unknown", noun="branch")]
    return []


def _names_branch(text: str) -> bool:
    """A substitution that can only print the name of a branch or commit."""
    inside = text.removeprefix("$(").removesuffix(")").strip("`").strip()
    return (
        re.fullmatch(r"git (branch --show-current|rev-parse( --[\w-]+)* [\w@]+|symbolic-ref( --?\w+)* HEAD)", inside)
        is not None
    )


def _shown(refs: list[Word], got: options.Options) -> tuple[str, ...]:
    return tuple(w.text.lstrip("+").split(":")[-1] for w in refs) or _remote(got)


def _remote(got: options.Options) -> tuple[str, ...]:
    return (got.operands[0].text if got.operands else "its remote",)
