import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asList, asObject, asString } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { clawEnv, TOKEN } from "./config.ts";
import { connect, type GatewayEvent, type GatewaySocket } from "./gateway-socket.ts";
import { type ClawPlace, freePort } from "./place.ts";

const OPENCLAW = join(import.meta.dirname, "node_modules", "openclaw", "openclaw.mjs");
const START_MS = 120_000;
/** How long an answer that is no model's may be on its way. */
const WORDS_MS = 3_000;
/** Less than a test may take, so that it can say what went wrong. */
const TURN_MS = 150_000;
/** It puts its state in order before it goes; one that is killed leaves a lock. */
const STOP_MS = 60_000;

/** How a run of the agent ended for the person at OpenClaw's chat. */
export type ClawTurn = {
  readonly state: "final" | "error" | "aborted";
  readonly text: string;
  /** What OpenClaw and Conduct have said besides the model. */
  readonly said: readonly string[];
};

/** OpenClaw's gateway in a process of its own, on loopback. */
export type Gateway = {
  readonly pid: number;
  readonly url: string;
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** A message in OpenClaw's chat, to the end of its run. */
  chat(sessionKey: string, message: string): Promise<ClawTurn>;
  /** The end of the next run of that session, whoever begins it; `undefined` when there is none in time. */
  next(sessionKey: string, waitMs: number): Promise<ClawTurn | undefined>;
  /** A message over the HTTP side, as `openclaw agent` sends it; what was answered. */
  post(sessionKey: string, message: string, headers?: { readonly [name: string]: string }): Promise<string>;
  log(): string;
  stop(): Promise<void>;
};

/** `configure` writes what OpenClaw reads at its start, with this port. */
export async function startGateway(
  place: ClawPlace,
  configure: (port: number) => unknown,
  env: NodeJS.ProcessEnv = {},
): Promise<Gateway> {
  const port = await freePort();
  await configure(port);
  const logPath = join(place.state, "gateway.log");
  const out = openSync(logPath, "a");
  const child = spawn(process.execPath, [OPENCLAW, "gateway", "run", "--port", String(port)], {
    cwd: place.user,
    env: { ...clawEnv(place), ...env },
    stdio: ["ignore", out, out],
    // A group of its own: OpenClaw starts helpers, which must go with it.
    detached: true,
  });
  const kill = () => killGroup(child);
  process.once("exit", kill);
  const log = () => readFileSync(logPath, "utf8");
  const socket = await connectWhenReady(child, port, log);
  const ends = new Ends(socket);
  const url = `http://127.0.0.1:${port}`;
  return {
    pid: child.pid ?? 0,
    url,
    log,
    request: (method, params) => socket.request(method, params),
    async chat(sessionKey, message) {
      const runId = randomUUID();
      const end = ends.ofRun(runId);
      await socket.request("chat.send", { sessionKey, message, idempotencyKey: runId });
      const over = new AbortController();
      const late = sleep(TURN_MS, undefined, { signal: over.signal }).catch(() => undefined);
      const turn = await Promise.race([end, late]).finally(() => over.abort());
      if (turn === undefined) throw new Error(`the turn does not end\n${log().slice(-2_000)}`);
      return turn;
    },
    next: (sessionKey, waitMs) => ends.ofSession(sessionKey, waitMs),
    post: (sessionKey, message, headers = {}) => post(url, sessionKey, message, headers),
    async stop() {
      process.off("exit", kill);
      socket.close();
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const late = setTimeout(kill, STOP_MS);
      await gone;
      clearTimeout(late);
      kill();
    },
  };
}

async function connectWhenReady(child: ChildProcess, port: number, log: () => string): Promise<GatewaySocket> {
  const until = performance.now() + START_MS;
  let why: unknown;
  while (performance.now() < until && child.exitCode === null) {
    await sleep(200);
    try {
      return await connect(port, TOKEN);
    } catch (error) {
      why = error;
    }
  }
  killGroup(child);
  throw new Error(`the gateway did not start: ${String(why)}\n${log().slice(-3_000)}`);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}

async function post(
  url: string,
  sessionKey: string,
  message: string,
  headers: { readonly [name: string]: string },
): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "x-openclaw-session-key": sessionKey,
      ...headers,
    },
    body: JSON.stringify({ model: "openclaw", messages: [{ role: "user", content: message }] }),
  });
  const body = asObject(await response.json());
  const said = asObject(asObject(asList(body.choices)[0]).message).content;
  return typeof said === "string" ? said : JSON.stringify(body);
}

/** Hears how runs end. */
class Ends {
  readonly #socket: GatewaySocket;
  readonly #said = new Map<string, string[]>();

  constructor(socket: GatewaySocket) {
    this.#socket = socket;
    socket.on(({ event, payload }) => {
      const { runId, message } = payload;
      const text = textOf(asObject(message));
      if (event !== "chat" || text === "" || !isSaidBesides(payload)) return;
      const said = this.#said.get(asString(runId)) ?? [];
      said.push(text);
      this.#said.set(asString(runId), said);
    });
  }

  ofRun(runId: string): Promise<ClawTurn> {
    return this.#end(({ payload }) => payload.runId === runId);
  }

  async ofSession(sessionKey: string, waitMs: number): Promise<ClawTurn | undefined> {
    const over = new AbortController();
    const end = this.#end(({ payload }) => payload.sessionKey === sessionKey && !isSaidBesides(payload), over.signal);
    const late = sleep(waitMs, undefined, { signal: over.signal }).catch(() => undefined);
    return Promise.race([end, late]).finally(() => over.abort());
  }

  #end(fits: (event: GatewayEvent) => boolean, signal?: AbortSignal): Promise<ClawTurn> {
    return new Promise((resolve) => {
      const off = this.#socket.on((event) => {
        const { state, message, errorMessage, runId } = event.payload;
        if (event.event !== "chat" || !fits(event)) return;
        if (state !== "final" && state !== "error" && state !== "aborted") return;
        const text = asString(errorMessage) || textOf(asObject(message));
        const end = () => {
          off();
          resolve({ state, text, said: this.#said.get(asString(runId)) ?? [] });
        };
        // What is said besides comes right after the end, or in a second one when the first has no words.
        setTimeout(end, state === "final" && text === "" && !isSaidBesides(event.payload) ? WORDS_MS : 100);
      });
      signal?.addEventListener("abort", off, { once: true });
    });
  }
}

/** A final text that no model has written. */
function isSaidBesides({ state, message }: JsonObject): boolean {
  return state === "final" && asObject(message).provider === "openclaw";
}

function textOf({ content }: JsonObject): string {
  const blocks = asList(content).map(asObject);
  if (blocks.some(({ openclawStatusNotice }) => openclawStatusNotice === true)) return "";
  return blocks.map(({ text }) => asString(text)).join("\n");
}
