// The side of the page: voice, group chat, and what was decided.

import { $, clock, el, exact, setExact, setText, sync, tell } from "./dom.js";
import { call } from "./net.js";

const LISTENING = {
  off: "Off", asleep: "Asleep: waits for its name", listening: "Listening", hearing: "Hears you",
  thinking: "Thinking", speaking: "Speaking", trouble: "Has trouble",
};

export function wireVoice() {
  for (const [id, action] of [["talk", "listen"], ["silence", "silence"]]) {
    $(id).addEventListener("click", async () => {
      try {
        await call("POST", "/api/voice/command", { action });
        tell($("voice-problem"), "");
      } catch (error) {
        tell($("voice-problem"), error.message);
      }
    });
  }
}

export function showVoice(voice) {
  setText($("voice-state"), voice.connected ? LISTENING[voice.listening] || voice.listening : "Not running. Start it with: conduit voice");
  $("voice-state").dataset.state = voice.connected ? voice.listening : "off";
  $("talk").disabled = $("silence").disabled = !voice.connected;
  tell($("voice-note"), voice.note);
  setExact($("voice-heard"), voice.heard || "nothing yet");
  setExact($("voice-said"), voice.said || "nothing yet");
  $("voice-pending").hidden = $("voice-pending-name").hidden = !voice.pending;
  setExact($("voice-pending"), voice.pending || "");
  showLatency(Object.entries(voice.timingsMs || {}));
}

function showLatency(timings) {
  const stages = timings.filter(([name]) => name !== "total");
  $("latency").hidden = stages.length === 0;
  const sum = stages.reduce((all, [, ms]) => all + ms, 0);
  const total = timings.find(([name]) => name === "total");
  setText($("latency-total"), `${Math.round(total ? total[1] : sum)} ms`);
  const longest = Math.max(1, ...stages.map(([, ms]) => ms));
  const items = stages.map(([name, ms]) => ({ id: name, ms }));
  sync($("latency-bars"), items,
    (item) => el("li", {}, el("span", { class: "stage" }, exact(item.id.replaceAll("_", " "))), el("span", { class: "track" }, el("span", { class: "bar" })), el("span", { class: "ms" })),
    (line, item) => {
      line.querySelector(".bar").style.width = `${Math.max(1, (100 * item.ms) / longest)}%`;
      setText(line.querySelector(".ms"), `${Math.round(item.ms)} ms`);
    });
}

export function showChat(entries) {
  const log = $("chat");
  const following = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  sync(log, entries, (entry) => el("li", { class: `from-${entry.role}` },
    el("p", { class: "quiet" }, el("strong", {}, exact(entry.sender)), ` ${clock(entry.ts)}`,
      entry.classification ? el("span", { class: "tag" }, entry.classification.replace("_", " ")) : null),
    el("p", { class: "said", dir: "auto" }, exact(entry.text))), () => {});
  if (following) log.scrollTop = log.scrollHeight;
}

const DECIDED = {
  gate_approve: "Approved", gate_reject: "Rejected", gate_custom: "Answered", gate_closed: "Closed", gate_reveal: "Looked at what is hidden", plan_approve: "Approved the plan",
  plan_reject: "Rejected the plan", policy_change: "Changed the policy", agent_stop: "Stopped", broadcast: "Told everyone",
};

export function showAudit(lines) {
  $("audit-none").hidden = lines.length > 0;
  sync($("audit"), lines, (line) => el("li", {},
    el("p", {}, el("strong", {}, DECIDED[line.event] || line.event), " ", el("span", { class: "quiet" }, `${clock(line.timestamp)} by ${line.via}`)),
    subject(line), el("p", { class: "quiet" }, exact(line.action || "")),
    line.authorisingPhrase ? el("p", { class: "quiet" }, "Said: ", exact(line.authorisingPhrase)) : null), () => {});
}

// Rules are shown word for word; switching one on names exactly the rule that stands here.
export function showPolicy(policy) {
  setText($("policy-spoken"), policy.spoken);
  const rules = policy.rules.map((rule) => ({ ...rule, id: `${rule.digest} ${rule.confirmed} ${rule.inForce}` }));
  sync($("policy"), rules, (rule) => el("li", {},
    el("p", {}, exact(rule.text)),
    rule.confirmed ? el("p", { class: "quiet" }, rule.inForce ? "In force" : "Over") : switchOn(rule)), () => {});
}

function switchOn(rule) {
  const button = el("button", { type: "button" }, "Switch this rule on");
  button.addEventListener("click", async () => {
    try {
      showPolicy(await call("POST", "/api/policy/confirm", { digests: [rule.digest] }));
      tell($("policy-problem"), "");
    } catch (error) {
      tell($("policy-problem"), error.message);
    }
  });
  return button;
}

function subject(line) {
  const what = line.gate ? line.gate.command || line.gate.prompt : line.plan ? line.plan.proposedMessage : line.reason;
  return what ? el("code", { class: "subject" }, exact(String(what), true)) : null;
}

export function wireChat(project) {
  $("chat-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = $("chat-text").value;
    if (text.trim() === "" || project() === null) return;
    try {
      await call("POST", `/api/projects/${encodeURIComponent(project())}/groupchat`, { text });
      $("chat-text").value = "";
      tell($("chat-problem"), "");
    } catch (error) {
      tell($("chat-problem"), error.message);
    }
  });
}
