"""find and fd: what they delete, and what they run on every hit."""

from engine.gates.sources.command.call import Bench, Call, base_name
from engine.gates.sources.command.judgement import Finding, found
from engine.gates.sources.command.targets import resolve
from engine.gates.sources.command.words import Word, literal
from engine.gates.sources.command.writes import write

_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"))
_WRITES = frozenset(("-fprint", "-fprintf", "-fls", "-fprint0"))


def find(call: Call, bench: Bench) -> list[Finding]:
    """Deletes where it starts; runs its commands with what it found, which may be anything below."""
    starts = _starts(call)
    results: list[Finding] = []
    for index, text in enumerate(call.texts):
        if text == "-delete":
            for word in starts:
                target = resolve(word, call.scope, bench.where)
                results.append(found("delete", (target.shown,), target.place, "find_delete", noun="folder"))
        elif text in _RUNS:
            _run(call, bench, index, starts)
        elif text in _WRITES and index + 1 < len(call.args):
            one = write(resolve(call.args[index + 1], call.scope, bench.where), bench.where)
            results += [one] if one else []
    return results


def _starts(call: Call) -> list[Word]:
    starts: list[Word] = []
    if call.name in ("fd", "fdfind"):
        return [literal(".")]
    for word in call.args:
        if word.text.startswith(("-", "(", "!")):
            if word.text in ("-H", "-L", "-P"):
                continue
            break
        starts.append(word)
    return starts or [literal(".")]


def _run(call: Call, bench: Bench, index: int, starts: list[Word]) -> None:
    words: list[Word] = []
    for word in call.args[index + 1 :]:
        if word.text in (";", "\\;") or (word.text == "+" and words):
            break
        if "{}" in word.text:
            words += [Word(f"{s.text.rstrip('/')}/*", s.known, True, s.quoted, f"{s.if_empty}/*") for s in starts]
        else:
            words.append(word)
    if words and call.name in ("fd", "fdfind") and not any("{" in word.text for word in call.args[index + 1 :]):
        words.append(Word("./*", glob=True, bare="./*"))
    if words:
        name = words[0].text
        bench.judge_call(bench, Call(base_name(name), tuple(words[1:]), call.scope, None, (), name, True))
