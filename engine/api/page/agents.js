// Agents: what each one does as far as it is known, and a line to talk to it.

import { $, el, setExact, setText, sync, tell } from "./dom.js";
import { call } from "./net.js";

const STATUS = { running: "Working", awaiting_input: "Ready", idle: "Idle", stopped: "Stopped" };

export function showAgents(agents) {
  sync($("agents"), agents, agentCard, updateAgent);
  $("agents-none").hidden = agents.length > 0;
}

function statusWords(agent) {
  if (agent.pendingGate !== null) return agent.frozen ? "Waits for you, frozen" : "Waits for you, not frozen";
  if (agent.frozen) return "Frozen";
  if (agent.livenessOnly) return agent.status === "stopped" ? "Stopped" : "Runs";
  return STATUS[agent.status] || agent.status;
}

function details(agent) {
  const said = [agent.cli];
  if (agent.role) said.push(agent.role);
  if (agent.sessionNumber !== null) said.push(`S-${agent.sessionNumber}`);
  if (agent.livenessOnly && agent.status !== "stopped") said.push("only known to run: whether it works or waits is not");
  if (agent.queuedGates > 0) said.push(`${agent.queuedGates} more ${agent.queuedGates === 1 ? "question" : "questions"}`);
  if (agent.queuedMessages > 0) said.push(`${agent.queuedMessages} ${agent.queuedMessages === 1 ? "message" : "messages"} queued`);
  if (agent.status === "stopped" && agent.exit) said.push(agent.exit);
  return said.join(" · ");
}

function agentCard(agent) {
  const path = `/api/projects/${encodeURIComponent(agent.projectId)}/agents/${encodeURIComponent(agent.id)}`;
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const sent = el("p", { class: "quiet sent", role: "status", hidden: true });
  const box = el("input", { id: `tell-${agent.id}`, autocomplete: "off", class: "tell", placeholder: `Tell ${agent.name}` });
  const screen = el("pre", { class: "screen", tabindex: "0", hidden: true, "aria-label": `Screen of ${agent.name}` });
  const attempt = async (work) => {
    tell(problem, "");
    try {
      return await work();
    } catch (error) {
      tell(problem, error.message);
      return null;
    }
  };
  const act = (what) => () => attempt(() => call("POST", `${path}/${what}`));
  const look = async () => {
    if (!screen.hidden) return void (screen.hidden = true);
    const output = await attempt(() => call("GET", `${path}/output?lines=40`));
    if (output !== null) {
      setExact(screen, output.text);
      screen.hidden = false;
    }
  };
  const submit = async (event) => {
    event.preventDefault();
    if (box.value.trim() === "") return box.focus();
    const result = await attempt(() => call("POST", "/org/inject", { project: agent.projectId, agent: agent.id, message: box.value }));
    if (result === null) return;
    box.value = "";
    tell(sent, result.state === "delivered" ? "Delivered." : "Queued: it is sent when the agent is ready.");
  };
  return el("article", { class: "card agent", "data-agent": agent.id, "aria-label": `Agent ${agent.name}` },
    el("header", {},
      el("h3", {}, el("span", { class: "name" }), el("span", { class: "quiet project" })), el("span", { class: "tag status" }),
      el("div", { class: "buttons small" },
        button("Screen", look), button("Start", act("start"), "start"), button("Restart", act("restart"), "restart"), button("Stop", act("stop"), "stop"))),
    el("p", { class: "quiet details" }),
    el("form", { class: "line", on: { submit } }, el("label", { class: "unseen", for: box.id }, `Message to ${agent.name}`), box, el("button", { type: "submit" }, "Send")),
    el("p", { class: "quiet closed", hidden: true }, "Decide first: a message now would be typed in as the answer."), sent, problem, screen);
}

function button(label, click, name = "") {
  return el("button", { type: "button", class: name, on: { click } }, label);
}

function updateAgent(card, agent) {
  const find = (selector) => card.querySelector(selector);
  setExact(find(".name"), agent.name);
  setExact(find(".project"), ` in ${agent.projectName}`);
  setText(find(".status"), statusWords(agent));
  find(".status").className = `tag status ${agent.pendingGate !== null ? "waits" : agent.status}`;
  setExact(find(".details"), details(agent));
  const stopped = agent.status === "stopped";
  find(".start").hidden = !stopped;
  find(".stop").hidden = stopped;
  find(".restart").hidden = stopped;
  const closed = agent.pendingGate !== null;
  find(".closed").hidden = !closed;
  find(".tell").disabled = closed;
  find("form button").disabled = closed;
}

