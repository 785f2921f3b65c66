import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ConductClient, conductClient } from "../src/apps/gateway/client.ts";
import type { JsonObject } from "../src/base/words/json.ts";
import { type PtyEnd, runInPty } from "../src/edge/host/switch/test/test-pty.ts";
import { type ModelServer, type Script, startModelServer } from "../src/testing/test/model-server/index.ts";

/** The program as it is packed. */
export const PROGRAM = join(import.meta.dirname, "../dist/conduct.mjs");
export const TOKEN = "a-token-for-the-tests-of-the-wiring";
/** `npm run mutate` waits less for a program that does not start. */
const START_MS = Number(process.env.CONDUCT_PATIENCE_MS ?? 90_000);

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };
export type Files = Readonly<Record<string, string>>;

/** A person's machine: a home, a work folder and an environment, and nothing that the tests' own process has set. */
export class Machine {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-wiring-")));
  readonly home = join(this.root, ".conduct");
  readonly work = join(this.root, "work");
  readonly #closing: (() => unknown)[] = [];
  readonly env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv = {}) {
    for (const folder of [this.home, this.work]) mkdirSync(folder, { mode: 0o700 });
    const { PATH = "" } = process.env;
    this.env = { PATH, HOME: this.root, CONDUCT_HOME: this.home, CONDUCT_KEYS: join(this.root, "keys"), ...env };
    this.onClose(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  }

  onClose(close: () => unknown): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }

  /** Writes files; names are relative to the home of the person: `.conduct/conduct.yaml`, `work/a.txt`. */
  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** The text of a file, named as for `write`; empty without one. */
  read(name: string): string {
    return existsSync(join(this.root, name)) ? readFileSync(join(this.root, name), "utf8") : "";
  }

  /** Runs a command to its end. */
  async conduct(words: readonly string[], { input = "", env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: this.work, env: { ...this.env, ...env } });
    child.stdin.end(input);
    const texts = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      texts.out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      texts.err += chunk.toString();
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...texts } satisfies Ran;
  }

  /** Runs a command as a person at a terminal, who types the code that it asks for. */
  async atTerminal(words: readonly string[], env: NodeJS.ProcessEnv = {}, program = PROGRAM): Promise<PtyEnd> {
    const inWork = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', this.work, process.execPath, program, ...words];
    return runInPty("xterm", inWork, { ...this.env, TERM: "dumb", ...env }, START_MS);
  }

  /** A scripted model, which `models:` of the configuration may name. */
  async model(script: Script = []): Promise<ModelServer> {
    const server = await startModelServer({ script });
    this.onClose(() => server.close());
    return server;
  }

  /** Starts the gateway and waits until it serves. */
  async gateway(words: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Gateway> {
    const port = env.CONDUCT_PORT === undefined && !words.includes("--port") ? ["--port", "0"] : [];
    const child = spawn(process.execPath, [PROGRAM, "gateway", "--json", ...port, ...words], {
      cwd: this.work,
      env: { ...this.env, CONDUCT_TOKEN: TOKEN, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const gateway = new Gateway(child, TOKEN);
    this.onClose(() => gateway.close());
    await gateway.started();
    return gateway;
  }
}

/** A tool and its arguments. */
export type PlayedCall = readonly [name: string, input: JsonObject];

/** A running gateway, as its operator and its users see it. */
export class Gateway {
  output = "";
  #url = "";
  readonly #child: ChildProcess;
  readonly #token: string;
  readonly #ended: Promise<unknown>;

  constructor(child: ChildProcess, token: string) {
    this.#child = child;
    this.#token = token;
    this.#ended = once(child, "close");
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.output += chunk.toString();
      });
  }

  get url(): string {
    return this.#url;
  }

  get operator(): ConductClient {
    return conductClient({ url: this.#url, token: this.#token });
  }

  async started(): Promise<void> {
    this.#url = (JSON.parse(await this.line('"event":"started"')) as { readonly url: string }).url;
  }

  /** The first line of the output that contains the text. */
  async line(text: string): Promise<string> {
    for (const until = performance.now() + START_MS; ; ) {
      const found = this.output.split("\n").find((one) => one.includes(text));
      if (found !== undefined) return found;
      const over = this.#child.exitCode !== null || performance.now() > until;
      if (over) throw new Error(`the gateway did not print '${text}': ${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** A new user with a token. */
  async person(id: string): Promise<ConductClient> {
    await this.operator.call("POST /api/users", { body: { id, name: id, role: "user" } });
    const params = { id };
    const { token } = await this.operator.call("POST /api/users/{id}/tokens", { params, body: { label: "test" } });
    return conductClient({ url: this.#url, token });
  }

  /** Starts a conversation with an agent. */
  async open(agent: string, client: ConductClient = this.operator): Promise<(text: string) => Promise<Turn>> {
    const { id } = await client.call("POST /api/sessions", { body: { agent } });
    return async (text) =>
      client.call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body: { text } });
  }

  /**
   * Has the model make these calls, one after the other, in a new conversation of the operator. Returns what it got back
   * for each.
   */
  async play(model: ModelServer, agent: string, calls: readonly PlayedCall[], text = "go"): Promise<readonly string[]> {
    const before = model.requests.length;
    model.setScript([...calls.map(([name, input]) => ({ calls: [{ name, input }] })), () => ({ text: "done" })]);
    await this.say(agent, text);
    const [last] = model.requests.slice(before).slice(-1);
    return last?.results.map((result) => result.text) ?? [];
  }

  /** The answer to one message in a new conversation. */
  async say(agent: string, text: string, client: ConductClient = this.operator): Promise<Turn> {
    return (await this.open(agent, client))(text);
  }

  /** Asks it to end, as a service manager does. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

type Turn = Awaited<ReturnType<typeof messageOf>>;
const messageOf = (client: ConductClient) =>
  client.call("POST /api/sessions/{id}/messages", { params: { id: "" }, body: { text: "" } });
