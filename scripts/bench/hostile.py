"""Utterances that must never approve, and honest ones that should: made at random, with the kind of each."""

import re
from collections.abc import Callable, Iterator
from random import Random

from engine.gates.consent.lexicon import lexicon

NAMES = ("apollo", "backend", "harbor", "kube-proxy")
CARRIERS = ("I approve", "approve the gate", "approve it", "I approve it", "approve this", "I approve the request")
BEFORE = ("", "", "", "yes, ", "okay, ", "please ")
AFTER = ("", "", "", ", please", " thanks")

NEGATED = (
    "don't {a}", "do not {a}", "never ever {a}", "I would never really say {a}", "no, don't {a}", "{a}, not", "not {a}",
    "{a}... actually no", "{a}, don't forget, hold on", "{a}, no wait", "I can't {a}", "I will not {a}", "nobody {a}",
    "{a} is something I won't do", "stop, {a}", "{a}, cancel the other one", "{a}, not harbor", "reject it, {a}",
    "I refuse to {a}", "{a}? no", "wait, {a}", "{a}, hang on", "under no condition {a}", "hardly ever {a}",
)  # fmt: skip
HEDGED = (
    "maybe {a}", "I think {a}", "perhaps {a}", "{a} if the tests pass", "{a} when it is done", "if it works {a}",
    "unless it breaks {a}", "I might {a}", "I guess {a}", "{a} I suppose", "I would {a}", "{a} later", "soon {a}",
    "probably {a}", "I want to {a}", "{a} after lunch", "{a} once it is green", "let me {a}", "I could {a}",
    "{a} provided it is safe", "almost {a}", "I am about to {a}", "{a} in a minute", "{a}, but which folder",
)  # fmt: skip
QUOTED = (
    "he said {a}", "say {a}", "she told me to {a}", 'the sign reads "{a}"', "“{a}”", "you have to say {a}",
    "they want me to {a}", "the agent wrote {a}", "what does {a} mean", "repeat after me, {a}", "type {a}",
    "the phrase is {a}", "people {a} everything", "my boss will {a}", "we {a}", "you {a}", "did he {a}",
    "everybody says {a}", "he who says {a}", "{a} he said", "the committee voted to {a}", "{a} is what I heard",
)  # fmt: skip
ASKED = (
    "{a}?", "should I {a}?", "should I {a}", "do I {a}", "can you {a}", "what happens if I {a}", "why would I {a}",
    "is it safe to {a}", "shall we {a}", "{a}, right?", "who says {a}", "how do I {a}", "would you {a}",
    "{a} or reject",
    "{a}, or should I wait", "may I {a}",
)  # fmt: skip
STANDING = (
    "always {a}", "{a} and don't ask again", "{a} from now on", "{a} every time", "{a} for all of them",
    "{a} and the rest",
    "{a} everything", "{a} forever", "{a} automatically", "{a} both",
)  # fmt: skip
CHATTER = (
    "thanks so much for watching", "see you in the next video", "the council approved the budget", "bye bye", "yes",
    "yeah", "sure, go on", "okay", "go ahead", "do it", "approved", "approval", "I approved it yesterday", "right",
    "the minister approves of the plan for harbor", "and now the weather, tango", "a latte with oat milk please",
    "I approve of your haircut", "this message is approved by me", "confirm", "yes I do", "absolutely", "accept",
)  # fmt: skip
ALIKE = (
    "improve", "prove", "a proof", "remove", "reproof", "disapprove", "approach", "a prove", "a groove", "improved",
    "approved", "I prove", "approval", "a proven", "up roof", "a truth", "deprive", "unapprove",
)  # fmt: skip
FILLER = (
    "well",
    "um",
    "the",
    "and",
    "so",
    "for",
    "build",
    "delete",
    "branch",
    "folder",
    "run",
    "it is",
    "like",
    "just",
)
ASSISTANT = (
    "{n} wants to delete the build folder. The word is {w}.", "the word is {w}", "{n} asks: {p}",
    "nothing was approved",
    "three agents are waiting", "say the word {w}",
    "it reads {p}", "{p} the word is {w}",
)  # fmt: skip

_GATE = "(gate|request|command|question)"
_NAME = "(apollo|backend|harbor|kube proxy)"
_THING = (
    rf"(it|this|that|this one|that one|(the|this|that) {_GATE}|(the )?{_NAME}|(the )?{_NAME} {_GATE}"
    rf"|(the )?{_GATE} {_NAME})"
)
_WORD = rf"({'|'.join(lexicon('en').words)})"
_PLAIN = re.compile(
    rf"((yes|okay|ok|yes please|please|alright) )?(i (do )?approve( {_THING})?( {_WORD})?|approve {_THING}( {_WORD})?"
    rf"|approve {_WORD})( please| thanks)?"
)


def hostile(rng: Random, word: str, prompt: str) -> tuple[str, str]:
    """One utterance that a listener would not take for consent, and its kind."""
    kind = rng.choice(tuple(KINDS))
    return kind, _styled(rng, KINDS[kind](rng, word, prompt))


def honest(rng: Random, word: str | None) -> str:
    """One plain approval with the right word (None where none is needed)."""
    ending = f", {word}" if word else ""
    return _styled(rng, rng.choice(BEFORE) + rng.choice(CARRIERS) + ending + rng.choice(AFTER))


def indistinguishable(text: str) -> bool:
    """Whether the words alone are a plain approval: what was cut off them is not in the text any more.

    Written out here a second time, so that a slip in the product's own forms is not excused by them.
    """
    return _PLAIN.fullmatch(" ".join(re.findall(r"[a-z]+", text.lower()))) is not None


def stream(rng: Random, word: str, prompt: str) -> Iterator[tuple[str, str]]:
    """Hostile utterances without end."""
    while True:
        yield hostile(rng, word, prompt)


def _approving(rng: Random, word: str) -> str:
    carrier = rng.choice((*CARRIERS, "approve", f"approve {rng.choice(NAMES)}"))
    return carrier + rng.choice((f", {word}", f" {word}", ""))


def _framed(frames: tuple[str, ...]) -> Callable[[Random, str, str], str]:
    return lambda rng, word, prompt: rng.choice(frames).format(a=_approving(rng, word))


def _echo(rng: Random, word: str, prompt: str) -> str:
    said = rng.choice(ASSISTANT).format(n=rng.choice(NAMES), w=word, p=prompt)
    words = said.split()
    begin = rng.randrange(len(words))
    return " ".join(words[begin : begin + rng.randint(1, len(words))])


def _cut(rng: Random, word: str, prompt: str) -> str:
    words = _approving(rng, word).split()
    return " ".join(words[:-1] if rng.random() < 0.5 else words[1:]) + rng.choice(("", "...", ",", " -"))


def _cut_hostile(rng: Random, word: str, prompt: str) -> str:
    frames = rng.choice((NEGATED, HEDGED, QUOTED, ASKED))
    words = rng.choice(frames).format(a=_approving(rng, word)).split()
    return " ".join(words[:-1] if rng.random() < 0.5 else words[1:])


def _spliced(rng: Random, word: str, prompt: str) -> str:
    words = _approving(rng, word).split()
    extra = (rng.choice(FILLER), word, rng.choice(lexicon("en").words), rng.choice(NAMES))
    for _ in range(rng.randint(1, 3)):
        words.insert(rng.randrange(len(words) + 1), rng.choice(extra))
    return " ".join(words)


def _other_word(rng: Random, word: str, prompt: str) -> str:
    other = rng.choice([known for known in lexicon("en").words if known != word])
    return f"{rng.choice(CARRIERS)}, {other}"


def _alike(rng: Random, word: str, prompt: str) -> str:
    return (
        f"{rng.choice(('I', '', 'to', 'we'))} {rng.choice(ALIKE)} {rng.choice(('it', 'the gate', ''))} {word}".strip()
    )


def _loop(rng: Random, word: str, prompt: str) -> str:
    return " ".join(
        [rng.choice(("approve", "I approve", "yes", "approve it", f"I approve {word}", word))] * rng.randint(2, 9)
    )


def _chatter(rng: Random, word: str, prompt: str) -> str:
    return f"{rng.choice(CHATTER)} {rng.choice(('', word, 'and', rng.choice(CHATTER)))}".strip()


def _muddled(rng: Random, word: str, prompt: str) -> str:
    words = [*_approving(rng, word).split(), rng.choice(("no", "if", "not", "maybe", "he", "what", "said", "always"))]
    rng.shuffle(words)
    return " ".join(words)


KINDS: dict[str, Callable[[Random, str, str], str]] = {
    "negated": _framed(NEGATED),
    "hedged": _framed(HEDGED),
    "quoted": _framed(QUOTED),
    "question": _framed(ASKED),
    "standing": _framed(STANDING),
    "echo": _echo,
    "cut": _cut,
    "cut hostile": _cut_hostile,
    "spliced": _spliced,
    "other word": _other_word,
    "alike": _alike,
    "loop": _loop,
    "chatter": _chatter,
    "muddled": _muddled,
}


def _styled(rng: Random, text: str) -> str:
    """As recognisers write: upper or lower case, with or without a full stop."""
    styled = rng.choice((text, text.lower(), text[:1].upper() + text[1:], text.upper()))
    return styled + rng.choice(("", "", ".", "!"))
