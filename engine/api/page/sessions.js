// Sessions: what ran and what runs, by number. Deleting asks once more, by the name of what would be gone.

import { $, clock, el, exact, setText, sync, tell } from "./dom.js";
import { call } from "./net.js";

const LIVE = new Set(["starting", "working", "waiting", "idle"]);
const AGAIN = new Set(["halted", "process_lost", "failed", "finished"]);
const STATES = { process_lost: "process lost" };

export function showSessions(sessions, refresh) {
  $("sessions-none").hidden = sessions.length > 0;
  sync($("sessions"), sessions, (session) => line(session, refresh), update);
}

function line(session, refresh) {
  const act = async (method, path) => {
    try {
      await call(method, `/api/sessions/${encodeURIComponent(session.id)}${path}`);
      tell($("sessions-problem"), "");
    } catch (error) {
      tell($("sessions-problem"), error.message);
    }
    refresh();
  };
  const button = (kind, label, click) =>
    el("button", { type: "button", class: kind, "aria-label": `${label} ${session.name}`, on: { click } }, label);
  const remove = button("delete", "Delete", () => {
    if (remove.dataset.sure === "yes") return act("DELETE", "");
    remove.dataset.sure = "yes";
    setText(remove, `Delete ${session.name} for good?`);
    return undefined;
  });
  // Whoever looks away has not decided: the second click has to follow the first.
  remove.addEventListener("blur", () => {
    remove.dataset.sure = "no";
    setText(remove, "Delete");
  });
  return el("li", { "data-session": session.id },
    el("p", {}, el("strong", {}, session.name), " ", exact(session.agentName),
      el("span", { class: "quiet" }, ` ${clock(session.startedAt)} `), el("span", { class: "tag state" })),
    el("p", { class: "quiet why", hidden: true }),
    el("div", { class: "buttons" },
      button("resume", "Resume", () => act("POST", "/resume")), button("halt", "Halt", () => act("POST", "/halt")),
      button("cancel", "Cancel", () => act("POST", "/cancel")), button("archive", "Archive", () => act("POST", "/archive")), remove));
}

function update(item, session) {
  setText(item.querySelector(".state"), STATES[session.state] || session.state);
  const why = item.querySelector(".why");
  if (why.dataset.shown !== (session.reason || "")) {
    why.dataset.shown = session.reason || "";
    why.replaceChildren(exact(session.reason || ""));
    why.hidden = !session.reason;
  }
  const live = LIVE.has(session.state);
  const offered = { resume: AGAIN.has(session.state), halt: live, cancel: live, archive: !live, delete: !live };
  for (const [kind, on] of Object.entries(offered)) item.querySelector(`.${kind}`).hidden = !on;
}

// Documents of one project: each with its versions, which never change.
export function showDocuments(documents) {
  $("documents-none").hidden = documents.length > 0;
  const items = documents.map((one) => ({ ...one, id: `${one.id} ${one.versions.length}` }));
  sync($("documents"), items, (one) => el("li", {},
    el("p", {}, el("strong", {}, exact(one.title))),
    el("ul", { class: "choices" }, ...one.versions.map((version) => el("li", {},
      `Version ${version.version}: `, exact(version.file), el("span", { class: "quiet" }, ` ${version.size} bytes, ${clock(version.publishedAt)}`))))), () => {});
}
