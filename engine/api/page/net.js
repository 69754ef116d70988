// Talks to the engine: one token in this tab only, calls, and the event stream.

const STORED = "conduit-token";
const SILENCE_MS = 45000; // three heartbeats missed
const BACKOFF_MS = [300, 800, 2000, 5000, 10000];

export class Refused extends Error {
  constructor(status, body) {
    super(body.error || `The engine answered ${status}.`);
    this.status = status;
    this.details = body.details || {};
  }
}

// The code in the fragment is used once and leaves the address at once, so that history keeps nothing.
export async function enter() {
  const code = new URLSearchParams(location.hash.slice(1)).get("link");
  if (code !== null) {
    history.replaceState(null, "", location.pathname);
    const { token } = await call("POST", "/api/auth/exchange", { code });
    sessionStorage.setItem(STORED, token);
  }
  return sessionStorage.getItem(STORED) !== null;
}

export function leave() {
  sessionStorage.removeItem(STORED);
}

function headers(extra) {
  const token = sessionStorage.getItem(STORED);
  const own = { "X-Conduit-Via": "web", ...extra };
  return token === null ? own : { ...own, Authorization: `Bearer ${token}` };
}

export async function call(method, path, body) {
  const options = { method, headers: headers({}), cache: "no-store", credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The engine does not answer. If this was a decision, look whether it arrived before you repeat it.");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

export function requestId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return "web-" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Follows the stream for ever: hooks.open(), hooks.event(event), hooks.lost(error, waitMs). Ends only when refused.
export async function follow(after, hooks) {
  let last = after;
  for (let failures = 0; ; ) {
    try {
      await readStream(last, hooks.open, (event) => {
        failures = 0;
        last = event.id;
        hooks.event(event);
      });
      throw new Error("The engine ended the stream.");
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error;
      const wait = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)];
      failures += 1;
      hooks.lost(error, wait);
      await new Promise((done) => setTimeout(done, wait * (0.8 + 0.4 * Math.random())));
    }
  }
}

async function readStream(after, open, event) {
  const stop = new AbortController();
  let timer;
  const patience = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), SILENCE_MS);
  };
  patience();
  try {
    const query = after === null ? "" : `?after=${after}`;
    const response = await fetch(`/api/events${query}`, {
      headers: headers({}), cache: "no-store", credentials: "omit", signal: stop.signal,
    });
    if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
    open();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      patience();
      const frames = (rest + value).split("\n\n");
      rest = frames.pop();
      for (const frame of frames) {
        const data = frame.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
        if (data.length > 0) event(JSON.parse(data.join("\n")));
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
