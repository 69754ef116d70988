"""Odd names, as people say them and recognisers write them: the engine's own name comes out, or a question does."""

import pytest

from voice.understand.grammar import desk
from voice.understand.intents import AskWhich, Intent, Understanding
from voice.understand.prompt import desk_examples

AGENTS = [
    "nemo",
    "kube-proxy",
    "PaymentService",
    "api-gateway-2",
    "web_ui",
    "k8s",
    "B-04",
    "docs.v2",
    "HTTPServer",
    "Rosé",
    "émile",
]
PROJECTS = ["Ledger API", "Apollo", "S3 Sync", "x-ray"]
GRAMMAR = desk()
DESK = Understanding.of(GRAMMAR, {"agents": AGENTS, "projects": PROJECTS})

SAID = {
    "nemo": ["nemo", "Nemo", "Nemmo", "NEMO", "nemo's"],
    "kube-proxy": ["kube proxy", "cube proxy", "kubeproxy", "Kube-Proxy", "kube dash proxy", "cube-proxy"],
    "PaymentService": ["payment service", "Payment Service", "PaymentService", "paymentservice", "payment-service"],
    "api-gateway-2": [
        "API gateway two",
        "api gateway 2",
        "A.P.I. gateway 2",
        "api dash gateway dash two",
        "API-Gateway-2",
    ],
    "web_ui": ["web UI", "web U I", "web underscore UI", "WebUI", "web u.i."],
    "k8s": ["k8s", "K8S", "k 8 s", "k eight s"],
    "B-04": ["B04", "b 04", "B zero four", "b oh four", "B four", "B-04"],
    "docs.v2": ["docs v2", "docs dot v2", "docs V 2", "docs v two"],
    "HTTPServer": ["HTTP server", "H.T.T.P. server", "http server"],
    "Rosé": ["Rosé", "rose", "Rose"],
    "émile": ["Emile", "émile", "Émile"],
}
PROJECTS_SAID = {
    "Ledger API": ["Ledger API", "ledger A.P.I.", "ledger a p i", "LedgerAPI", "Ledger-API"],
    "S3 Sync": ["S3 sync", "S 3 sync", "s three sync"],
    "x-ray": ["x ray", "x-ray", "X-Ray", "xray"],
}
SESSIONS = ["S-12", "S 12", "s twelve", "session 12", "session twelve", "session number twelve", "session S-12", "S12"]


@pytest.mark.parametrize(("name", "said"), [(name, said) for name, forms in SAID.items() for said in forms])
def test_odd_agent_name_is_understood_however_it_is_written(name: str, said: str) -> None:
    for sentence, intent in (("status of {}", "status.agent"), ("restart {}", "agent.restart")):
        understood = DESK.understand_text(sentence.format(said))
        assert isinstance(understood, Intent), understood
        assert (understood.name, understood.slots) == (intent, {"agent": name})


@pytest.mark.parametrize(("name", "said"), [(name, said) for name, forms in SAID.items() for said in forms])
def test_message_to_an_odd_name_keeps_name_and_text_apart(name: str, said: str) -> None:
    understood = DESK.understand_text(f"tell {said} to run the linter")
    assert isinstance(understood, Intent), understood
    assert understood.slots == {"agent": name, "text": "run the linter"}


@pytest.mark.parametrize(("name", "said"), [(name, said) for name, forms in PROJECTS_SAID.items() for said in forms])
def test_odd_project_name_is_understood_however_it_is_written(name: str, said: str) -> None:
    understood = DESK.understand_text(f"switch to {said}")
    assert isinstance(understood, Intent), understood
    assert understood.slots == {"project": name}


@pytest.mark.parametrize("said", SESSIONS)
def test_session_is_understood_however_it_is_written(said: str) -> None:
    understood = DESK.understand_text(f"how is {said}")
    assert isinstance(understood, Intent), understood
    assert (understood.name, understood.slots) == ("session.status", {"session": "S-12"})


@pytest.mark.parametrize("said", ["neemoh", "cube poxy", "payment services"])
def test_name_that_is_only_near_is_asked_about_or_sounds_the_same(said: str) -> None:
    understood = DESK.understand_text(f"restart {said}")
    if isinstance(understood, AskWhich):
        assert all(candidate.slots["agent"] in AGENTS for candidate in understood.candidates)
    else:
        assert isinstance(understood, Intent) and understood.slots["agent"] in AGENTS


@pytest.mark.parametrize("said", ["B05", "B four two", "k9s", "api gateway three"])
def test_name_with_another_figure_is_never_taken_for_it(said: str) -> None:
    assert not isinstance(DESK.understand_text(f"restart {said}"), Intent)


def test_every_odd_name_biases_the_recogniser_as_it_is_said() -> None:
    text = " ".join(desk_examples({"agents": AGENTS, "projects": PROJECTS}, GRAMMAR.prompt))
    for name in ("nemo", "kube-proxy", "Payment Service", "Ledger API", "api-gateway-2", "web_ui", "k8s", "S3 Sync"):
        assert name in text, text
