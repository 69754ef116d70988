"""Two commands that differ are never spoken alike: exhaustively for short ones, by generation for real ones."""

import re
from itertools import product
from unicodedata import category

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from voice.speak.verbalise import verbalise
from voice.speak.verbalise.phrases import load

LANGUAGES = ("en", "de")
REAL = (
    "rm -rf build/*",
    "rm -rf ./build && git push --force origin +main",
    "git commit -m 'Fix the parser' --no-verify; git push",
    'curl -fsSL "https://example.test/install.sh?v=1&x=2" | sudo bash -s -- -y',
    "find . -name '*.py' -exec sed -i 's/Old/new/g' {} +",
    "DATABASE_PORT=5432 psql -c 'DROP TABLE users;' >> ~/log.txt 2>&1",
    "tar xzf archive-1.2.3.tar.gz -C /opt/myApp --strip-components=1",
    "kubectl delete pod web_server-7f9c -n prod || true",
    "cp -r src/getUserName.ts /Volumes/My\\ Disk/to/two/2",
    "python3 -c \"print('a' * 100000)\" < in > out",
)


def heard(command: str, language: str = "en") -> str:
    """What stays in a listener's ear: no case, no punctuation, figures as words, single blanks."""
    text = verbalise(command, kind="command", language=language).text.casefold()
    words = load(language).digits
    text = re.sub(r"\d", lambda digit: f" {words[int(digit[0])]} ", text)
    kept = "".join(char if category(char)[0] in "LM" else " " for char in text)
    return " ".join(kept.split())


def assert_all_distinct(commands: list[str], language: str = "en") -> None:
    speech: dict[str, str] = {}
    for command in commands:
        other = speech.setdefault(heard(command, language), command)
        assert other == command, f"{other!r} and {command!r} are both spoken {heard(command, language)!r}"


def test_short_commands_of_every_sign_all_sound_different() -> None:
    signs = [chr(code) for code in range(32, 127) if not chr(code).isalnum()] + list("aB2\t\n\x1b\u200b\u0430")
    assert_all_distinct(["".join(parts) for length in range(3) for parts in product(signs, repeat=length)])


@pytest.mark.parametrize("alphabet", ['ab -2"', "aA 1.>", "a-'\t &", "2>&1 a", "r 'f\\$"])
def test_commands_over_tricky_alphabets_all_sound_different(alphabet: str) -> None:
    assert_all_distinct(["".join(parts) for length in range(6) for parts in product(alphabet, repeat=length)])


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_the_spoken_code_itself_are_told_from_what_they_stand_for(language: str) -> None:
    phrases = load(language)
    symbols = list(phrases.symbols)
    words = sorted({word for phrase in phrases.codewords() for word in phrase.split()} | set(phrases.closers.values()))
    pieces = [*symbols, *words, *"0123456789ab"]
    assert_all_distinct(
        [f"x{gap}{left}{gap2}{right}" for left in pieces for right in words for gap in ("", " ") for gap2 in ("", " ")],
        language,
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_of_each_language_are_prefix_free(language: str) -> None:
    phrases = [tuple(phrase.split()) for phrase in load(language).codewords()]
    assert len(set(phrases)) == len(phrases)
    for short, long in product(phrases, repeat=2):
        assert short == long or long[: len(short)] != short, f"{short} begins {long}"


@pytest.mark.parametrize("command", REAL)
def test_every_single_character_edit_of_a_real_command_sounds_different(command: str) -> None:
    edits = {command}
    for place in range(len(command) + 1):
        for sign in " -a2'\"./>\t_~$*;&|A":
            edits.add(command[:place] + sign + command[place:])
            edits.add(command[:place] + sign + command[place + 1 :])
        edits.add(command[:place] + command[place + 1 :])
        edits.add(command[:place] + command[place : place + 1].swapcase() + command[place + 1 :])
    assert_all_distinct(sorted(edits))


names = st.sampled_from(
    [
        "rm",
        "git",
        "build",
        "Build",
        "my file",
        "getUser",
        "get_user",
        "a1",
        "1",
        "one",
        "to",
        "dash",
        "-rf",
        "-r",
        "--",
        "X",
    ]
)
signs = st.sampled_from(
    ["/", ".", " ", "  ", "\t", "'", '"', "\\ ", "$", "~", "*", "-", "_", "=", ":", "é", "е", "\u202e", "\n"]
)
joints = st.sampled_from([" ", " && ", "&&", "; ", " ; ", " | ", "|", " > ", ">", " >> ", " || ", " & ", "\n"])
arguments = st.lists(st.one_of(names, signs), min_size=1, max_size=5).map("".join)
simple = st.lists(arguments, min_size=1, max_size=4).map(" ".join)
commands = st.lists(st.tuples(simple, joints), min_size=1, max_size=3).map(
    lambda parts: "".join(a + b for a, b in parts)
)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(commands, commands)
def test_two_generated_commands_sound_different(first: str, second: str) -> None:
    assume(first != second)
    assert heard(first) != heard(second)


@settings(max_examples=1500, deadline=None)
@given(st.one_of(commands, st.sampled_from(REAL)), st.data())
def test_one_changed_character_of_a_generated_command_is_heard(command: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(command)))
    cut = data.draw(st.integers(0, 2))
    edited = command[:place] + data.draw(st.text(max_size=2)) + command[place + cut :]
    assume(edited != command)
    assert heard(edited) != heard(command)


@settings(max_examples=800, deadline=None)
@given(st.text(max_size=6), st.text(max_size=6), st.sampled_from(LANGUAGES))
def test_any_two_unicode_texts_sound_different(first: str, second: str, language: str) -> None:
    assume(first != second)
    assert heard(first, language) != heard(second, language)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text("0123456789abcdef", min_size=20, max_size=64), st.data())
def test_a_long_hash_with_one_other_sign_sounds_different(digest: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(digest) - 1))
    sign = data.draw(st.sampled_from("0123456789abcdef"))
    assume(digest[place] != sign)
    other = digest[:place] + sign + digest[place + 1 :]
    # Two check words leave one chance in 16,384; the derandomised examples here are none of these.
    assert heard(f"git show {digest}") != heard(f"git show {other}")
