// The page: reads the snapshot, follows the events, and shows what is.

import { showAgents } from "./agents.js";
import { showNeeds } from "./cards.js";
import { $, el, exact, setText, tell } from "./dom.js";
import { Refused, call, enter, follow, leave } from "./net.js";
import { showDocuments, showSessions } from "./sessions.js";
import { showAudit, showChat, showPolicy, showVoice, wireChat, wireVoice } from "./side.js";

const ALL = "";
let state = null;
let logsOf = null;

const chosen = () => $("project").value || ALL;
const chatProject = () => chosen() || (state && state.projects.length > 0 ? state.projects[0].id : null);
const ofProject = (items) => items.filter((item) => chosen() === ALL || item.projectId === chosen());

function showProjects(projects) {
  const before = chosen();
  const options = [el("option", { value: ALL }, "All projects"), ...projects.map((one) => el("option", { value: one.id }, exact(one.name)))];
  $("project").replaceChildren(...options);
  $("project").value = projects.some((one) => one.id === before) ? before : ALL;
}

function show() {
  showNeeds(ofProject(state.gates), ofProject(state.plans));
  showAgents(ofProject(state.agents));
  showVoice(state.voice);
}

async function refresh() {
  const fresh = await call("GET", "/org/snapshot");
  const names = (projects) => JSON.stringify(projects.map((one) => [one.id, one.name]));
  const changed = state === null || names(state.projects) !== names(fresh.projects);
  state = fresh;
  if (changed) showProjects(fresh.projects);
  show();
}

// Chat and decisions belong to one project; with all chosen, decisions of every project are merged.
async function refreshLogs() {
  if (state === null) return;
  const project = chatProject();
  const wanted = chosen();
  showPolicy(await call("GET", "/api/policy"));
  logsOf = wanted;
  const sessions = await call("GET", "/api/sessions?limit=50");
  showSessions(sessions.filter((one) => wanted === ALL || one.projectId === wanted), updateLogs);
  if (project === null) return void (showChat([]), showAudit([]), showDocuments([]));
  const of = (id, what) => call("GET", `/api/projects/${encodeURIComponent(id)}/${what}?limit=50`);
  const ids = wanted === ALL ? state.projects.map((one) => one.id) : [wanted];
  const documents = Promise.all(ids.map((id) => call("GET", `/api/projects/${encodeURIComponent(id)}/documents`)));
  const [chat, ...audits] = await Promise.all([of(project, "groupchat"), ...ids.map((id) => of(id, "audit"))]);
  const published = (await documents).flat();
  if (logsOf !== wanted) return;
  showDocuments(published);
  const name = state.projects.find((one) => one.id === project);
  setText($("chat-project"), name ? `in ${name.name}` : "");
  showChat(chat);
  const lines = new Map(audits.flat().map((line) => [line.id, line]));
  showAudit([...lines.values()].sort((a, b) => b.timestamp.localeCompare(a.timestamp)).slice(0, 50));
}

// Runs one at a time; what comes meanwhile runs once more after it.
function oneAtATime(work) {
  let running = false;
  let again = false;
  return async function run() {
    if (running) return void (again = true);
    running = true;
    try {
      do {
        again = false;
        await work();
      } while (again);
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return locked();
      tell($("notice"), error.message);
    } finally {
      running = false;
    }
  };
}

const updateState = oneAtATime(refresh);
const updateLogs = oneAtATime(refreshLogs);
const LOGGED = new Set(["gate:resolved", "plan:resolved", "groupchat:message", "stream:reset", "org:changed", "agent:status"]);

function onEvent(event) {
  if (event.type === "voice:command") return;
  updateState();
  if (LOGGED.has(event.type)) updateLogs();
}

function connection(words, kind) {
  setText($("connection"), words);
  $("connection").dataset.kind = kind;
  document.body.dataset.connected = kind === "good" ? "yes" : "no";
}

function locked() {
  leave();
  connection("Locked", "bad");
  tell($("notice"), "This page has no key any more. Open it again with: conduit up");
}

async function start() {
  wireVoice();
  wireChat(chatProject);
  $("project").addEventListener("change", () => state && (show(), updateLogs()));
  try {
    if (!(await enter())) return locked();
  } catch (error) {
    connection("Locked", "bad");
    return tell($("notice"), error.message);
  }
  await updateState();
  await updateLogs();
  try {
    await follow(state ? state.eventId : null, {
      open: () => {
        connection("Live", "good");
        tell($("notice"), "");
        updateState().then(updateLogs);
      },
      event: onEvent,
      lost: () => {
        connection("Disconnected, trying again", "bad");
        tell($("notice"), "The engine does not answer. What you see may be out of date.");
      },
    });
  } catch (error) {
    if (error.status === 401) return locked();
    connection("Refused", "bad");
    tell($("notice"), error.message);
  }
}

start();
