// What waits for the user: gates and plans, each with its exact text and answers that are equally easy.

import { $, clock, el, exact, setText, sync, tell } from "./dom.js";
import { Refused, call, requestId } from "./net.js";

const SETTLE_MS = 500;
let lastShift = -Infinity;

// A click that lands on a card which only just moved under the pointer was meant for another one.
function settled(problem) {
  if (performance.now() - lastShift >= SETTLE_MS) return true;
  tell(problem, "The list moved just now, so nothing was sent. Look again and repeat.");
  return false;
}

export function showNeeds(gates, plans) {
  const before = new Set(Array.from($("gates").children, (child) => child.dataset.key));
  const movedGates = sync($("gates"), gates, gateCard, updateGate);
  const movedPlans = sync($("plans"), plans, planCard, updatePlan);
  if (movedGates || movedPlans) lastShift = performance.now();
  const open = gates.length + plans.length;
  setText($("needs-count"), open ? String(open) : "");
  $("needs-none").hidden = open > 0;
  document.title = open ? `(${open}) Conduit` : "Conduit";
  const fresh = gates.find((gate) => !before.has(gate.id));
  if (fresh) setText($("needs-live"), `${fresh.agentName} in ${fresh.projectName} asks for a decision.`);
}

function gateCard(gate) {
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const path = `/api/projects/${encodeURIComponent(gate.projectId)}/agents/${encodeURIComponent(gate.agentId)}/gate/resolve`;
  const decide = (decision, customInput) => {
    const body = { gateId: gate.id, decision, requestId: requestId() };
    if (customInput !== undefined) body.customInput = customInput;
    return send(card, problem, path, body);
  };
  const own = el("input", { id: `own-${gate.id}`, autocomplete: "off", spellcheck: "false", placeholder: "Your own answer" });
  const form = el("form", { class: "line", on: { submit: (event) => {
    event.preventDefault();
    if (own.value.trim() === "") return own.focus();
    decide("custom", own.value);
  } } },
  el("label", { class: "unseen", for: own.id }, `Your own answer to ${gate.agentName}`), own,
  el("button", { type: "submit" }, "Send answer"));
  const card = el("article", { class: `card gate ${gate.tier === "harmful" ? "harmful" : ""}`, "data-gate": gate.id, "aria-label": `Gate of ${gate.agentName}` },
    el("header", {},
      el("h3", {}, exact(gate.agentName), el("span", { class: "quiet" }, " in ", exact(gate.projectName))),
      el("span", { class: `tag ${gate.tier}` }, gate.tier === "harmful" ? "Harmful" : "Routine"),
      el("time", { datetime: gate.raisedAt, class: "quiet" }, clock(gate.raisedAt))),
    gate.command === null ? null : text("Command", gate.command, true),
    gate.prompt && gate.prompt !== gate.command ? text("Question", gate.prompt, false) : null,
    gate.secretsMasked ? hidden(gate, path, problem) : null, effects(gate.effects), facts(gate), choices(gate.choices),
    el("p", { class: "waits quiet", hidden: true }, "Another question of this agent comes first."),
    answers(gate.agentName, () => decide("approve"), () => decide("reject")), form, problem);
  return card;
}

// The exact text stands in the page only while it is looked at; each look is noted in the history.
function hidden(gate, path, problem) {
  const place = el("div", { class: "revealed" });
  const button = el("button", { type: "button", class: "reveal", "aria-expanded": "false", on: { click: toggle } }, "Show what is hidden");
  async function toggle() {
    if (place.childElementCount) return show(null);
    button.disabled = true;
    try {
      show(await call("POST", path.replace(/resolve$/, `${encodeURIComponent(gate.id)}/reveal`)));
    } catch (error) {
      tell(problem, error.message);
    } finally {
      button.disabled = card(button);
    }
  }
  function show(exactly) {
    const parts = exactly === null ? [] : [exactly.command, exactly.prompt === exactly.command ? null : exactly.prompt];
    place.replaceChildren(...parts.filter((part) => part !== null).map((part) => text("In full", part, true)));
    button.setAttribute("aria-expanded", String(exactly !== null));
    setText(button, exactly === null ? "Show what is hidden" : "Hide it again");
  }
  return el("div", {}, button, place);
}

// Whether its card is being decided: then its buttons stay off.
function card(control) {
  return control.closest("article")?.dataset.busy === "yes";
}

function text(title, content, marking) {
  return el("div", { class: "exact" }, el("h4", {}, title), el("pre", { tabindex: "0", class: marking ? "command" : "prompt" }, exact(content, marking)));
}

function answers(name, approve, reject) {
  return el("div", { class: "buttons answers" },
    el("button", { type: "button", class: "approve", "aria-label": `Approve: ${name}`, on: { click: approve } }, "Approve"),
    el("button", { type: "button", class: "reject", "aria-label": `Reject: ${name}`, on: { click: reject } }, "Reject"));
}

const UNDO = { yes: "can be undone", git: "can be brought back from git", no: "cannot be undone", unknown: "may not be undone" };

function effects(list) {
  if (list.length === 0) return null;
  const line = (effect) => el("li", { class: effect.undo === "no" ? "grave" : "" },
    el("strong", {}, effect.kind.replaceAll("_", " ")), " ", ...effect.targets.map((target) => el("code", {}, exact(target, true))),
    el("span", { class: "quiet" }, ` ${effect.place === "unknown" ? "somewhere" : effect.place}, ${UNDO[effect.undo] || effect.undo}`));
  return el("div", {}, el("h4", {}, "Would"), el("ul", { class: "effects" }, ...list.map(line)));
}

function facts(gate) {
  const rows = [];
  if (gate.cwd) rows.push(["In", exact(gate.cwd, true)]);
  if (gate.branch) rows.push(["Branch", exact(gate.branch, true)]);
  if (gate.screenOnly) rows.push(["By voice", exact(`can only be rejected: ${gate.screenOnly}`)]);
  if (!gate.speakable) rows.push(["By voice", exact("is never answered: it may ask for a password")]);
  if (gate.mayHaveBegun) rows.push(["Note", exact("part of it may have run before it was held")]);
  if (gate.secretsMasked) rows.push(["Note", exact("something secret is hidden in this text")]);
  return rows.length === 0 ? null : el("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function choices(list) {
  if (list.length === 0) return null;
  const line = (choice) => el("li", {}, el("span", { class: "choice" }, exact(choice.label, true)), el("span", { class: "quiet" }, ` ${choice.kind}: `, exact(choice.sends)));
  return el("details", { open: list.length <= 4 }, el("summary", {}, "What each answer sends"), el("ul", { class: "choices" }, ...list.map(line)));
}

function updateGate(card, gate) {
  card.querySelector(".waits").hidden = gate.head;
  const busy = card.dataset.busy === "yes";
  for (const control of card.querySelectorAll("button, input")) control.disabled = busy || !gate.head;
  card.dataset.head = gate.head ? "yes" : "no";
}

function planCard(plan) {
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const path = `/api/projects/${encodeURIComponent(plan.projectId)}/plans/${encodeURIComponent(plan.id)}/resolve`;
  const reason = el("input", { id: `reason-${plan.id}`, autocomplete: "off", placeholder: "Reason for a rejection (optional)" });
  const decide = (decision) => {
    const why = decision === "reject" && reason.value.trim() ? { reason: reason.value.trim() } : {};
    return send(card, problem, path, { decision, requestId: requestId(), ...why });
  };
  const card = el("article", { class: "card plan", "data-plan": plan.id, "data-head": "yes", "aria-label": `Plan ${plan.number}` },
    el("header", {},
      el("h3", {}, el("span", { class: "number" }), " for ", exact(plan.targetAgentName), el("span", { class: "quiet" }, " in ", exact(plan.projectName))),
      el("time", { datetime: plan.createdAt, class: "quiet" }, clock(plan.createdAt))),
    el("p", {}, exact(plan.description)), text("Message that would be sent", plan.proposedMessage, false),
    plan.maybeSent ? el("p", { class: "problem" }, "This may have been sent before a crash. Look at the agent before you approve it.") : null,
    answers(`plan ${plan.number}`, () => decide("approve"), () => decide("reject")),
    el("div", { class: "line" }, el("label", { class: "unseen", for: reason.id }, "Reason for a rejection"), reason), problem);
  return card;
}

function updatePlan(card, plan) {
  setText(card.querySelector(".number"), `Plan ${plan.number}`);
}

async function send(card, problem, path, body) {
  if (card.dataset.busy === "yes" || !settled(problem)) return;
  card.dataset.busy = "yes";
  tell(problem, "");
  const focused = card.contains(document.activeElement);
  const controls = [...card.querySelectorAll("button, input")];
  for (const control of controls) control.disabled = true;
  try {
    await call("POST", path, body);
    card.classList.add("done");
    // Back to the list, and never to the next card: a key held too long must not decide there.
    if (focused) $("needs").focus({ preventScroll: true });
  } catch (error) {
    tell(problem, error.message + decided(error));
  } finally {
    card.dataset.busy = "no";
    const stays = card.dataset.head === "yes" && !card.classList.contains("done");
    for (const control of controls) control.disabled = !stays;
  }
}

function decided(error) {
  if (!(error instanceof Refused) || error.status !== 409) return "";
  const told = Object.entries(error.details).map(([name, value]) => `${name}: ${value}`);
  return told.length ? ` (${told.join(", ")})` : "";
}
