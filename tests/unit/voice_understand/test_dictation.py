"""Signs and figures said in dictated text are written, plain sentences stay, and nothing that was said gets lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.speak.verbalise import verbalise
from voice.understand.dictation import Vocabulary, written
from voice.understand.fold import words
from voice.understand.grammar import desk
from voice.understand.intents import Intent, Understanding

GRAMMAR = desk()
ENGLISH = GRAMMAR.dictation
DESK = Understanding.of(GRAMMAR, {"agents": ["backend"], "projects": ["Apollo"]})

WRITTEN = {
    "run the tests with dash dash dry run": "run the tests with --dry-run",
    "run it with dash dash dry run and dash dash verbose": "run it with --dry-run and --verbose",
    "Run it with dash, dash, dry run.": "Run it with --dry-run.",
    "run the tests with dash-dash dry-run please": "run the tests with --dry-run please",
    "git push dash dash force with lease origin main": "git push --force-with-lease origin main",
    "dash dash log level equals debug": "--log-level=debug",
    "run it with dash dash max workers equals four": "run it with --max-workers=4",
    "use port eighty eighty": "use port 8080",
    "use port 80 80 for it": "use port 8080 for it",
    "use port five four three two": "use port 5432",
    "listen on localhost colon eighty eighty": "listen on localhost:8080",
    "one two seven dot zero dot zero dot one colon five four three two": "127.0.0.1:5432",
    "open http colon slash slash localhost colon three thousand": "open http://localhost:3000",
    "check line forty two": "check line 42",
    "bump to version two point one": "bump to version 2.1",
    "use python three dot eleven": "use python 3.11",
    "rm dash r f build": "rm -rf build",
    "ls dash l a slash tmp": "ls -la /tmp",
    "tail dash n fifty": "tail -n 50",
    "it returns minus one": "it returns -1",
    "git commit dash a dash m quote fix the bug unquote": 'git commit -a -m "fix the bug"',
    "open source slash main dot py and fix it": "open source/main.py and fix it",
    "look at main dot p y": "look at main.py",
    "edit slash etc slash hosts": "edit /etc/hosts",
    "cd dot dot slash shared": "cd ../shared",
    "run dot slash build dot sh": "run ./build.sh",
    "edit dot env": "edit .env",
    "delete star dot log": "delete *.log",
    "ask user at sign example dot com": "ask user@example.com",
    "test underscore login fails": "test_login fails",
    "look into underscore underscore init underscore underscore": "look into __init__",
    "fix underscore underscore init underscore underscore dot py": "fix __init__.py",
    "kube hyphen proxy is down": "kube-proxy is down",
    "rename it to camel case user name in the parser": "rename it to userName in the parser",
    "rename it to snake case get user": "rename it to get_user",
    "call the constant all caps todo": "call the constant TODO",
    "call main open paren close paren": "call main()",
    "try it open paren see the docs close paren": "try it (see the docs)",
    "quote it as backtick ls backtick": "quote it as `ls`",
    "fix the bug. New line. Then run the tests.": "fix the bug.\nThen run the tests.",
    "fix the bug new line then run the tests": "fix the bug\nthen run the tests",
    "read and slash or write": "read and/or write",
    "does it work question mark": "does it work?",
}

PLAIN = [
    "mind the grace period before the dash",
    "add a dash of salt and end the period",
    "the slash command is broken",
    "slash the budget by half",
    "underscore the importance of tests",
    "add a new line at the end of the file",
    "remove the question mark",
    "write it in all caps",
    "use camel case for the names",
    "put it into snake case",
    "open paren is missing",
    "draw a dot on the map and connect the dots",
    "quote the price in euros",
    "at this point one test fails",
    "wait two minutes and try three times",
    "run the one hundred meter dash",
    "make a dash a quick one",
    "port two modules to Rust",
    "the first line of defence",
    "say it to the point",
    "it equals what we had",
    "the star of the show",
    "turn right and open the colon hearing",
]


@pytest.mark.parametrize(("said", "expected"), WRITTEN.items(), ids=list(WRITTEN))
def test_spoken_signs_are_written(said: str, expected: str) -> None:
    assert written(said, ENGLISH) == expected


@pytest.mark.parametrize("text", PLAIN)
def test_plain_sentence_with_the_word_for_a_sign_stays_what_it_is(text: str) -> None:
    assert written(text, ENGLISH) == text


@pytest.mark.parametrize("text", [*PLAIN, *WRITTEN.values()])
def test_what_is_written_is_not_rewritten(text: str) -> None:
    assert written(text, ENGLISH) == text


_SPOKEN = sorted({" ".join(phrase) for phrase in ENGLISH.signs})
_FILL = [
    "build",
    "the",
    "main",
    "py",
    "two",
    "eighty",
    "a",
    "f",
    "tests",
    "port",
    "env",
    "etc",
    "to",
    "run",
    "and",
    "or",
]
_SENTENCE = st.lists(st.sampled_from([*_SPOKEN, *_FILL]), min_size=1, max_size=14).map(" ".join)
_SIGN_WORDS = {word for phrase in ENGLISH.signs for word in phrase}
_NUMBERS = {"two": "2", "eighty": "80"}


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz.,?'", min_size=1), max_size=20).map(" ".join))
def test_text_without_a_spoken_sign_is_never_touched(text: str) -> None:
    touchable = _SIGN_WORDS | ENGLISH.counters
    if touchable.isdisjoint(words(text)):
        assert written(text, ENGLISH) == text


@given(_SENTENCE)
def test_no_word_that_is_no_sign_is_lost_or_moved(text: str) -> None:
    def kept(of: str) -> str:
        plain = [_NUMBERS.get(word, word) for word in words(of) if word not in _SIGN_WORDS]
        return "".join(plain).casefold()

    assert kept(written(text, ENGLISH).replace("_", " ")) == kept(text)


@given(_SENTENCE)
def test_an_answer_to_a_question_stays_on_one_line(text: str) -> None:
    assert "\n" not in written(text, ENGLISH, lines=False)


@given(st.text(max_size=60))
def test_any_text_at_all_can_be_dictated(text: str) -> None:
    assert isinstance(written(text, ENGLISH), str)


@given(st.sampled_from(sorted(ENGLISH.options)), st.sampled_from(["", " and then stop", ", please"]))
def test_every_known_long_option_is_written_whole(option: tuple[str, ...], rest: str) -> None:
    assert written(f"use dash dash {' '.join(option)}{rest}", ENGLISH) == f"use --{'-'.join(option)}{rest}"


@given(st.from_regex(r"[b-h][a-z]{2,8}", fullmatch=True))
def test_an_unknown_long_option_is_one_word(option: str) -> None:
    alone = option not in _SIGN_WORDS and not ENGLISH.is_number(option)
    if alone and not any(known[0] == option for known in ENGLISH.options):
        assert written(f"use dash dash {option} and stop", ENGLISH) == f"use --{option} and stop"


@given(st.integers(1000, 9999))
def test_a_port_said_digit_by_digit_or_in_pairs_is_its_number(port: int) -> None:
    names = {value: word for word, value in GRAMMAR.numbers.cardinals.items()}
    digits = " ".join(names[int(digit)] for digit in str(port))
    assert written(f"use port {digits}", ENGLISH) == f"use port {port}"


def test_a_language_without_signs_rewrites_nothing() -> None:
    assert written("run it with dash dash dry run", Vocabulary()) == "run it with dash dash dry run"


@pytest.mark.parametrize(
    ("said", "intent", "text"),
    [
        ("tell backend to run the tests with dash dash dry run", "agent.tell", "run the tests with --dry-run"),
        ("answer backend with port eighty eighty", "gate.answer", "port 8080"),
        ("tell everyone to use port eighty eighty", "project.broadcast", "use port 8080"),
        ("add a note to apollo check main dot py", "note.add", "check main.py"),
    ],
)
def test_dictated_slots_hold_what_will_be_sent(said: str, intent: str, text: str) -> None:
    understood = DESK.understand_text(said)
    assert isinstance(understood, Intent)
    assert (understood.name, understood.slots["text"]) == (intent, text)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("run the tests with --dry-run, please", "run the tests with dash dash dry hyphen run, please"),
        ("call it userName and TODO", "call it user cap name and caps todo"),
        ("fix it.\nthen run", "fix it. newline, then run"),
        ('say "hello there" to it', "say quote hello there unquote to it"),
        ("main() fails on port 8080", "main open paren close paren fails on port 8080"),
        ("try (this) and/or `ls`", "try open paren this close paren and slash or backtick ls backtick"),
        ("Don't use the API!", "Don't use the API!"),
        ("http://localhost:3000", "http colon slash slash localhost colon 3000"),
    ],
)
def test_read_back_names_every_sign_that_is_sent(sent: str, said: str) -> None:
    assert verbalise(sent, kind="dictated").text == said


@given(
    st.sampled_from([text for text in WRITTEN.values() if "run" in text]),
    st.sampled_from("-_/.()`\"'\n*=:@"),
    st.data(),
)
def test_one_more_sign_in_dictated_text_is_heard(text: str, sign: str, data: st.DataObject) -> None:
    inside = [m.start() for m in re.finditer(r"(?<=[a-z])(?=[a-z])", text)]
    place = data.draw(st.sampled_from(inside))
    changed = text[:place] + sign + text[place:]
    if sign == "'":
        return  # an apostrophe is part of words
    assert verbalise(changed, kind="dictated").text != verbalise(text, kind="dictated").text
