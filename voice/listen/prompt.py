"""What the recogniser is told beforehand: example sentences, never a word that decides."""

from collections.abc import Callable, Iterable, Sequence

from engine.domain.errors import BadRequest
from voice.listen.repeats import words

PROMPT_TOKENS = 223
"""Half of the decoder's context less one: what Whisper takes as earlier text."""

_APPROVING = ("approve", "approved", "approves", "approving", "approval", "accept", "accepts", "accepted", "confirm")
_ALLOWING = ("confirmed", "allow", "allowed", "grant", "granted", "authorise", "authorize", "agree", "agreed")
_ANSWERING = ("yes", "yeah", "yep", "reject", "rejected", "deny", "denied", "refuse", "refused")
CONSENT_WORDS = frozenset((*_APPROVING, *_ALLOWING, *_ANSWERING))
"""An approval has to be recognised without help, so these bias nothing."""


def check_examples(examples: Iterable[str]) -> None:
    """BadRequest when an example holds a word of consent."""
    for example in examples:
        if found := CONSENT_WORDS.intersection(words(example)):
            raise BadRequest(f'"{example}" can not be an example for the recogniser: "{min(found)}" decides something.')


def without_consent(examples: Iterable[str]) -> list[str]:
    """Those examples that hold no word of consent."""
    return [example for example in examples if not CONSENT_WORDS.intersection(words(example))]


def encode_prompt(examples: Sequence[str], encode: Callable[[str], list[int]]) -> list[int]:
    """Tokens of as many whole examples as fit, first ones first; nothing is cut in the middle."""
    tokens: list[int] = []
    for example in examples:
        more = encode(" " + example.strip())
        if len(tokens) + len(more) > PROMPT_TOKENS:
            break
        tokens.extend(more)
    return tokens
