import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { asObject, asString, parseObject } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { type PiPlace, piEnv } from "./place.ts";

const PI = join(import.meta.dirname, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");

/** A dialog that an extension opened, and what the person does with it; `undefined` leaves it open. */
export type Dialogs = (request: JsonObject) => { readonly value: string } | { readonly cancelled: true } | undefined;

/** `pi --mode rpc`, and whoever sits before it. */
export type PiProcess = {
  readonly pid: number;
  /** What the person was shown, in order. */
  readonly shown: readonly string[];
  /** Every record that Pi wrote. */
  readonly records: readonly JsonObject[];
  readonly stderr: string;
  /** One message, to the end of all that follows from it. Rejects when Pi refuses it or ends. */
  prompt(message: string): Promise<void>;
  /** One command; gives its answer. */
  send(command: JsonObject): Promise<JsonObject>;
  /** Resolves with the first record, from now on, that fits. */
  until(fits: (record: JsonObject) => boolean): Promise<JsonObject>;
  close(): Promise<number | null>;
};

export function startPi(
  place: PiPlace,
  args: readonly string[],
  dialogs: Dialogs = () => ({ cancelled: true }),
  env: NodeJS.ProcessEnv = {},
) {
  return openPi(place.workspace, { ...piEnv(place), ...env }, args, dialogs);
}

export function openPi(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[], dialogs: Dialogs): PiProcess {
  const child = spawn(process.execPath, [PI, "--mode", "rpc", ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  return new Rpc(child, dialogs);
}

/** Runs `pi` once, without a person: `-p`, or whatever the arguments say. */
export function runPiOnce(place: PiPlace, args: readonly string[]) {
  const child = spawn(process.execPath, [PI, ...args], {
    cwd: place.workspace,
    env: piEnv(place),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.stderr += text;
  });
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, ...texts }));
  });
}

class Rpc implements PiProcess {
  readonly shown: string[] = [];
  readonly records: JsonObject[] = [];
  stderr = "";
  readonly #child: ChildProcess;
  readonly #dialogs: Dialogs;
  readonly #ended: Promise<number | null>;
  readonly #listeners = new Set<(record: JsonObject) => void>();
  #sent = 0;
  #rest = "";

  constructor(child: ChildProcess, dialogs: Dialogs) {
    this.#child = child;
    this.#dialogs = dialogs;
    this.#ended = new Promise((resolve) => child.on("close", resolve));
    child.stdin?.on("error", () => {});
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async prompt(message: string): Promise<void> {
    let settled = false;
    const end = this.until((record) => record.type === "agent_settled").then(() => {
      settled = true;
    });
    end.catch(() => {});
    await this.send({ type: "prompt", message });
    const state = await this.send({ type: "get_state" });
    // One that an extension has taken for itself starts nothing.
    if (!settled && asObject(state.data).isStreaming === true) await end;
  }

  async send(command: JsonObject): Promise<JsonObject> {
    this.#sent += 1;
    const id = `request-${this.#sent}`;
    const answered = this.until((record) => record.type === "response" && record.id === id);
    this.#child.stdin?.write(`${JSON.stringify({ ...command, id })}\n`);
    const answer = await answered;
    if (answer.success !== true) throw new Error(`Pi refused ${asString(command.type)}: ${asString(answer.error)}`);
    return answer;
  }

  until(fits: (record: JsonObject) => boolean): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const hear = (record: JsonObject): void => {
        if (!fits(record)) return;
        this.#listeners.delete(hear);
        resolve(record);
      };
      this.#listeners.add(hear);
      this.#ended.then((code) => {
        if (this.#listeners.delete(hear)) reject(new Error(`Pi ended with ${code}: ${this.stderr.slice(-2_000)}`));
      });
    });
  }

  async close(): Promise<number | null> {
    this.#child.stdin?.end();
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
    return this.#ended.finally(() => clearTimeout(late));
  }

  #read(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const record = parseObject(line);
      if (record === undefined) continue;
      this.records.push(record);
      if (record.type === "extension_ui_request") this.#answer(record);
      for (const hear of [...this.#listeners]) hear(record);
    }
  }

  #answer(record: JsonObject): void {
    if (record.method === "notify") this.shown.push(asString(record.message));
    if (record.method !== "select") return;
    const answer = this.#dialogs(record);
    if (answer === undefined) return;
    this.#child.stdin?.write(`${JSON.stringify({ type: "extension_ui_response", id: record.id, ...answer })}\n`);
  }
}
