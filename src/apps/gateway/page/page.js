// The chat page. Whatever comes from people, models or tools is set as text, never as markup.
const at = (id) => document.getElementById(id);
const state = { agents: [], session: undefined, turns: new Map(), stream: undefined };

const GLYPHS = { message: "◦", prompt: "¶", call: "▸", result: "◂", stop: "■" };

/** An element with text and children; attributes by name. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

async function api(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = response.headers.get("content-type")?.includes("json") ? await response.json() : undefined;
  if (response.ok) return answer;
  throw Object.assign(new Error(answer?.detail ?? `the gateway answered ${response.status}`), {
    status: response.status,
    fix: answer?.fix,
  });
}

function tell(error) {
  const problem = at("problem");
  problem.hidden = error === undefined;
  problem.textContent = error === undefined ? "" : [error.message, error.fix].filter(Boolean).join(" ");
}

async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", "/");
  await api("POST", "/api/login", { code });
}

async function start() {
  try {
    await signIn();
    await api("GET", "/api/me");
  } catch (error) {
    return showGate(error);
  }
  const { agents } = await api("GET", "/api/agents");
  state.agents = agents;
  at("agent").replaceChildren(...agents.map(({ name }) => make("option", { value: name }, name)));
  showModel();
  await showContract();
  await showList();
  await openSession(undefined);
  at("text").focus();
}

function showGate(error) {
  at("form").hidden = true;
  const isNew = error.status === 401;
  at("turns").replaceChildren(
    make(
      "div",
      { class: "empty" },
      make("h1", {}, isNew ? "Sign in" : "The gateway cannot be reached"),
      make(
        "p",
        {},
        isNew
          ? "Open the one-time link that the gateway printed when it started. A new one: conduct gateway login."
          : error.message,
      ),
    ),
  );
}

function showModel() {
  const agent = state.agents.find(({ name }) => name === at("agent").value);
  at("model").textContent =
    agent === undefined ? "" : agent.model === "demo/habits" ? "demo model (no key set)" : agent.model;
}

async function showContract() {
  const { contract } = await api("GET", "/api/contract").catch(() => ({ contract: undefined }));
  at("contract").textContent =
    contract === undefined ? "" : `contract v${contract.version} ${contract.hash.slice(0, 6)}`;
}

async function showList() {
  const { sessions } = await api("GET", "/api/sessions?channel=web&limit=30");
  at("list").replaceChildren(
    ...sessions.map((session) => {
      const time = new Date(session.lastAt).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
      const current = session.id === state.session?.id;
      return make(
        "li",
        {},
        make(
          "button",
          { type: "button", "aria-current": String(current), on: { click: () => openSession(session) } },
          `${session.agent} · ${time}`,
        ),
      );
    }),
  );
}

async function openSession(session) {
  state.stream?.abort();
  state.session = session;
  state.turns.clear();
  closeDetail();
  tell();
  if (session === undefined) return showEmpty();
  at("turns").replaceChildren();
  const [{ turns }, { events }] = await Promise.all([
    api("GET", `/api/sessions/${encodeURIComponent(session.id)}?limit=30`),
    api("GET", `/api/sessions/${encodeURIComponent(session.id)}/events?limit=1000`),
  ]);
  for (const turn of turns.toReversed()) showTurn(turn);
  const shown = [...state.turns.values()];
  for (const event of events.toReversed()) {
    const of = shown.findLast(({ turn }) => turn.at <= event.at + 5);
    if (of !== undefined) addMoment(of, event);
  }
  follow(session);
  showList().catch(tell);
  scroll();
}

function showEmpty() {
  const tries = [
    "deploy it",
    "always answer in French",
    "remember that the dock is gate 9",
    "what do you remember about the dock?",
  ];
  at("turns").replaceChildren(
    make(
      "div",
      { class: "empty" },
      make("h1", {}, "Say something to the agent"),
      make(
        "p",
        {},
        "Every turn is a strip of five moments beside the answer: what was said ◦, told ¶, asked ▸, given back ◂, and whether it was done ■. Each opens to why.",
      ),
      make("p", {}, ...tries.map((text) => make("button", { type: "button", on: { click: () => send(text) } }, text))),
    ),
  );
}

async function follow({ id }) {
  const stream = new AbortController();
  state.stream = stream;
  while (!stream.signal.aborted) {
    try {
      const response = await fetch(`/api/sessions/${encodeURIComponent(id)}/stream`, { signal: stream.signal });
      if (!response.ok) throw new Error("no stream");
      live("on");
      await readEvents(response.body, (name, data) => onUpdate(name, data));
    } catch {
      if (stream.signal.aborted) return;
    }
    live("off");
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function live(how) {
  at("live").className = `dot ${how}`;
  at("live").setAttribute("aria-label", how === "on" ? "live" : "not connected, trying again");
}

async function readEvents(body, each) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    held += next.value;
    const blocks = held.split("\n\n");
    held = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: ?(.*)$/m.exec(block)?.[1];
      const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join("\n");
      if (name !== undefined) each(name, JSON.parse(data));
    }
  }
}

function onUpdate(name, data) {
  const newest = [...state.turns.values()].at(-1);
  if (name === "turn") showTurn(data.turn);
  if (name === "text") addText(state.turns.get(data.turn), data.delta);
  if (name === "note") addNote(state.turns.get(data.turn), data.text);
  if (name === "event" && newest !== undefined) addMoment(runningTurn() ?? newest, data.event);
  if (name === "approval" && newest !== undefined) addQuestion(runningTurn() ?? newest, data.approval);
  scroll();
}

function runningTurn() {
  return [...state.turns.values()].find(({ turn }) => turn.status === "running");
}

const STATUS = {
  queued: "waiting its turn",
  incomplete: "ended incomplete: the stop was refused as often as it may be",
  bypassed: "ended without the completion check",
  "ended-by-policy": "ended by a policy",
  failed: "failed",
  cancelled: "stopped by you",
  interrupted: "interrupted",
};

function showTurn(turn) {
  let shown = state.turns.get(turn.id);
  if (shown === undefined) {
    at("turns").querySelector(".empty")?.remove();
    const answer = make("p", { class: "answer" });
    const ended = make("p", { class: "ended" });
    const moments = make("ol", { class: "moments", "aria-label": "Moments of this turn" });
    const root = make("article", { class: "turn" }, make("p", { class: "said" }, turn.text), answer, ended, moments);
    shown = { turn, root, answer, ended, moments, seen: new Set() };
    state.turns.set(turn.id, shown);
    at("turns").append(root);
  }
  shown.turn = turn;
  const isRunning = turn.status === "running";
  shown.answer.classList.toggle("cursor", isRunning);
  if (!isRunning && turn.answer) shown.answer.textContent = turn.answer;
  const words = STATUS[turn.status];
  shown.ended.textContent = [words, turn.why].filter(Boolean).join(": ");
  shown.ended.classList.toggle("bad", turn.status === "failed" || turn.status === "interrupted");
  at("cancel").hidden = runningTurn() === undefined;
}

function addText(shown, delta) {
  if (shown === undefined) return;
  // Each model response begins anew: what is said in between stands in the timeline.
  shown.answer.append(delta);
}

function addNote(shown, text) {
  shown?.root.insertBefore(make("p", { class: "note" }, text), shown.ended);
}

function addQuestion(shown, approval) {
  const box = make(
    "div",
    { class: "ask", role: "group", "aria-label": "A question for you" },
    make("p", {}, approval.question),
  );
  const answer = async (word) => {
    try {
      await api("POST", `/api/approvals/${encodeURIComponent(approval.approval)}`, { answer: word });
      box.replaceChildren(make("p", {}, `${approval.question} — ${word}`));
    } catch (error) {
      box.replaceChildren(make("p", {}, error.message));
    }
  };
  box.append(
    ...["yes", "no"].map((word) =>
      make("button", { type: "button", on: { click: () => answer(word) } }, word === "yes" ? "Yes" : "No"),
    ),
  );
  shown.root.insertBefore(box, shown.ended);
}

function addMoment(shown, event) {
  const moment = momentOf(event);
  if (moment === undefined || shown.seen.has(event.id)) return;
  shown.seen.add(event.id);
  if (event.type === "prompt")
    shown.answer.textContent = shown.turn.status === "running" ? "" : shown.answer.textContent;
  const button = make(
    "button",
    {
      type: "button",
      "aria-expanded": "false",
      title: moment.what,
      on: { click: () => openDetail(button, moment, event) },
    },
    make("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[moment.kind]),
    make("span", { class: "what" }, moment.what),
  );
  shown.moments.append(make("li", { class: moment.tone }, button));
}

/** One line of the strip: which moment, what it says, green, amber or red; and the rows that it opens to. */
function momentOf(event) {
  switch (event.type) {
    case "message":
      return {
        kind: "message",
        tone: "pass",
        what: event.text,
        rows: [
          ["said", event.text],
          ["answered by Conduct", event.reply],
        ],
      };
    case "prompt":
      return {
        kind: "prompt",
        tone: event.cuts.length > 0 ? "advise" : "pass",
        what: `${event.sections.length} sections · ${event.tokens} tokens`,
        rows: [
          ["tokens", `${event.tokens}, of which ${event.prefixTokens} stay as they are`],
          ["contract", event.contract === undefined ? undefined : `v${event.contract.version} ${event.contract.hash}`],
          ["sections", event.sections.map(({ contributor, tokens }) => `${contributor}  ${tokens}`).join("\n")],
        ],
      };
    case "call": {
      const { decision, call } = event;
      const tone =
        decision.kind === "deny" ? "deny" : decision.kind === "ask" || decision.advice?.length > 0 ? "advise" : "pass";
      const word = decision.kind === "deny" ? ` ✗ ${decision.rule}` : decision.kind === "ask" ? " ? asks" : "";
      return {
        kind: "call",
        tone,
        what: `${call.tool}${word}`,
        rows: [
          ["decision", decision.kind],
          ["rule", decision.rule],
          ["because", decision.reason ?? decision.question],
          ["missing", decision.missing?.map(({ what, why }) => `${what}: ${why}`).join("\n")],
          ["next", decision.next],
          ["arguments", JSON.stringify(call.args, null, 1)],
          ["id", decision.id],
        ],
      };
    }
    case "result":
      return {
        kind: "result",
        tone:
          event.outcome === "ok" ? (event.feedback.length + event.truncation.length > 0 ? "advise" : "pass") : "advise",
        what: `${event.tool} ${event.outcome}`,
        rows: [
          ["outcome", event.outcome],
          ["shortened", event.truncation.map(({ original, kept }) => `${original} → ${kept} tokens`).join("\n")],
          ["advice", event.feedback.map(({ summary, text }) => summary ?? text ?? "").join("\n")],
        ],
      };
    case "stop":
      return {
        kind: "stop",
        tone:
          event.status === "complete"
            ? "pass"
            : event.status === "refused" || event.status === "ended-by-policy"
              ? "deny"
              : "advise",
        what: event.status === "refused" ? `not done (${event.refusals} of ${event.bound})` : event.status,
        rows: [
          ["status", event.status],
          ["because", event.feedback ?? event.why],
        ],
      };
    default:
      return undefined;
  }
}

function openDetail(button, moment, event) {
  for (const open of document.querySelectorAll('.moments button[aria-expanded="true"]'))
    open.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-expanded", "true");
  const rows = [...moment.rows, ["at", new Date(event.at).toLocaleTimeString()]].filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const mono = new Set(["arguments", "id", "sections", "contract"]);
  at("detail").replaceChildren(
    make(
      "h2",
      {},
      `${GLYPHS[moment.kind]} ${moment.kind}`,
      make("button", { type: "button", "aria-label": "Close", on: { click: closeDetail } }, "×"),
    ),
    make(
      "dl",
      {},
      ...rows.flatMap(([name, value]) => [
        make("dt", {}, name),
        make("dd", mono.has(name) ? { class: "mono" } : {}, String(value)),
      ]),
    ),
  );
  at("detail").hidden = false;
}

function closeDetail() {
  at("detail").hidden = true;
}

async function send(text) {
  tell();
  try {
    if (state.session === undefined) {
      const session = await api("POST", "/api/sessions", { agent: at("agent").value });
      await openSession(session);
    }
    const messageId = crypto.randomUUID();
    await api("POST", `/api/sessions/${encodeURIComponent(state.session.id)}/messages`, { text, messageId });
    await showContract();
  } catch (error) {
    // What was typed is not lost.
    at("text").value = text;
    tell(error);
  }
}

function scroll() {
  const box = at("turns");
  if (box.scrollHeight - box.scrollTop - box.clientHeight < 240) box.scrollTop = box.scrollHeight;
}

function grow() {
  const text = at("text");
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = at("text").value;
  if (text.trim() === "") return;
  at("text").value = "";
  grow();
  send(text);
});
at("text").addEventListener("input", grow);
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    at("form").requestSubmit();
  }
});
for (const chip of document.querySelectorAll("[data-mode]")) {
  chip.addEventListener("click", () => {
    const on = chip.getAttribute("aria-pressed") !== "true";
    chip.setAttribute("aria-pressed", String(on));
    send(`/${chip.dataset.mode} ${on ? "on" : "off"}`);
  });
}
at("cancel").addEventListener("click", () =>
  api("POST", `/api/sessions/${encodeURIComponent(state.session.id)}/cancel`).catch(tell),
);
at("new").addEventListener("click", () => openSession(undefined).then(() => at("text").focus()));
at("agent").addEventListener("change", () => {
  showModel();
  openSession(undefined);
});
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
  if (event.key === "Escape") {
    if (!at("detail").hidden) closeDetail();
    else if (!at("cancel").hidden) at("cancel").click();
  }
  if (event.key === "n" && !typing && !event.metaKey && !event.ctrlKey) at("new").click();
});
start().catch(showGate);
