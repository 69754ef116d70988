"""Redirects: what is read, what is overwritten."""

import re

from engine.gates.sources.command import paths
from engine.gates.sources.command.call import Feed, Scope
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.surroundings import Surroundings
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word
from engine.gates.sources.command.writes import write as write_to


def write(words: list[Word], sign: str, scope: Scope, where: Surroundings, *, alone: bool) -> list[Finding]:
    """Findings for ``>``, ``>>``, ``>|``, ``&>`` and their kin; ``alone``: nothing is printed into it."""
    results: list[Finding] = []
    for word in words:
        if sign in (">&", "<&") and re.fullmatch(r"\d+-?|-", word.text):
            continue
        if re.match(r"/dev/(tcp|udp)/", word.text):
            results.append(found("send", (word.text,), "remote", "send", noun="address"))
            continue
        one = write_to(resolve(word, scope, where), where, append=">>" in sign, empties=alone and ">>" not in sign)
        results += [one] if one is not None else []
    return results


def read(words: list[Word], scope: Scope, where: Surroundings) -> Feed:
    """What ``< file`` feeds in."""
    if len(words) != 1 or not words[0].known:
        return Feed(None)
    target = resolve(words[0], scope, where)
    if target.path is None:
        return Feed(None)
    return Feed(where.read_text(target.path), "secret" if paths.is_credential(target.path) else "plain")
