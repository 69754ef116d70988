"""What people say, and what it may never be taken for."""

import pytest

from engine.gates.consent.sentence import classify

NAMES = ("apollo", "back-end", "harbor", "lantern", "B-04", "AB-04", "2")


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("I approve.", None, None),
        ("I approve, tango.", None, "tango"),
        ("Approve the gate, tango.", None, "tango"),
        ("approve it", None, None),
        ("Approve, tango!", None, "tango"),
        ("Yes, I approve it, please.", None, None),
        ("I approve... tango", None, "tango"),
        ("approve the back end gate", "backend", None),
        ("I approve the gate for Apollo, pine apple", "apollo", "pineapple"),
        ("approve b oh four", "b4", None),
        ("approve AB-04", "ab4", None),
        ("approve a b four", "ab4", None),
        ("Approve plan two.", "2", None),
        ("approve the plan", None, None),
    ],
)
def test_explicit_approval_approves_what_it_names(text: str, name: str | None, word: str | None) -> None:
    verdict = classify(text, "en", NAMES)
    assert (verdict.kind, verdict.name, verdict.word) == ("approves", name, word)


@pytest.mark.parametrize(
    "text",
    [
        "yes", "yeah", "okay", "sure", "go ahead", "do it", "approve", "Approve.", "approved", "I approved it",
        "okay, hang on, leave that alone", "sure, but which folder is that?", "yeah... what happens if I say yes",
        "never ever approve tango", "approve tango, don't forget, hold on",
        "approve tango... actually no, cancel the other one", "I would never really say approve tango",
        "say approve or say reject", "approve or reject", "approve or", "approve the gate for",
        "approve the gate for lantern, not harbor", "I approve the", "I approve,", "I approve...", "approve it -",
        "always approve this", "approve and don't ask again", "approve it always", "approve everything",
        "approve all of them", "I approve it and the next one", "approve harbor and lantern",
        "approve approve approve", "yes yes yes yes", "go go go go go", "ok. ok. ok.", "I approve I approve",
        "approve it approve it", "tango tango", "I approve tango tango",
        "do I approve?", "Approve it?", "I approve tango?", "should I approve it", "can you approve it",
        'he said "approve it"', "“I approve”", "he said I approve", "she would approve it", "they approve it",
        "maybe I approve it", "I think I approve", "I approve it if the tests pass", "I approve it when it is done",
        "unless it fails approve it", "I approve it later", "I might approve it", "I would approve it",
        "I don't approve", "I do not approve tango", "I disapprove", "I can't approve it", "nobody approves it",
        "I approve of nothing", "not approve it", "approve it not", "without my approval",
        "I improve", "a proof it", "I prove it", "approval", "I remove it", "I approve unicorn", "approve the cake",
        "I approve apiary", "approve juniper", "", "   ", "...", "I approve (tango)", "i.approve;tango", "<approve it>",
        "I approve tango banana", "approve it " * 400, "I appr\u200bove",
        "Thanks so much for watching!", "Bye bye.",
    ],
)  # fmt: skip
def test_anything_else_never_approves(text: str) -> None:
    assert classify(text, "en", NAMES).kind != "approves"


@pytest.mark.parametrize(
    "text",
    ["no", "No!", "stop", "wait", "no, wait", "hold on", "cancel that", "don't", "don’t", "I reject it", "never mind",
     "I approve tango. No, wait.", "approve it, actually no", "reject the gate", "not that one"],
)  # fmt: skip
def test_refusal_refuses_and_takes_back(text: str) -> None:
    verdict = classify(text, "en", NAMES)
    assert verdict.kind == "refuses"
    assert verdict.voids
    assert verdict.condition == "negated"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("yes", "bare_yes"),
        ("what does it do", "question"),
        ("approve it always", "standing"),
        ("maybe I approve", "hedged"),
        ("he said I approve", "quoted"),
        ("go go go", "loop"),
    ],
)
def test_reason_says_why_nothing_was_approved(text: str, reason: str) -> None:
    assert classify(text).reason == reason


def test_name_that_sounds_like_another_is_matched_exactly_or_not_at_all() -> None:
    assert classify("approve b four", "en", ["AB-04"]).kind == "neither"
    assert classify("approve the api gateway", "en", ["api-gateway", "api_gateways"]).name == "apigateway"
    assert classify("approve cafe ledger", "en", ["Café Ledger"]).name == "cafeledger"


def test_name_that_is_also_a_word_is_ambiguous() -> None:
    assert classify("I approve tango", "en", ["tango"]).condition == "ambiguous"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ich genehmige das, Regenschirm.", "approves"),
        ("Ja, ich genehmige den Plan von Apollo", "approves"),
        ("ja", "neither"),
        ("Ich genehmige das nicht", "refuses"),
        ("Soll ich das genehmigen?", "neither"),
        ("Genehmige immer alles", "neither"),
        ("I approve, tango", "neither"),
    ],
)
def test_german_is_only_another_file(text: str, kind: str) -> None:
    assert classify(text, "de", ["Apollo"]).kind == kind
