import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { asList, asObject, asString, isObject } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { CODEX } from "./codex-run.ts";

/** A client of `codex app-server`, as the IDE and the terminal are: it sees what hooks say. */
export type AppClient = {
  readonly pid: number;
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Sends a message and waits for the end of its turn; the texts that hooks have shown meanwhile. */
  say(threadId: string, text: string): Promise<readonly string[]>;
  /** Compacts a conversation that was held elsewhere, as a person does with `/compact`. */
  compact(threadId: string): Promise<void>;
  close(): Promise<void>;
};

export async function openAppClient(cwd: string, env: NodeJS.ProcessEnv): Promise<AppClient> {
  const child = spawn(CODEX, ["app-server"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const gone = once(child, "close");
  let isGone = false;
  /** Fails whatever waits for a Codex that has ended. */
  const lost = gone.then(() => {
    isGone = true;
    throw new Error("codex app-server has ended");
  });
  lost.catch(() => undefined);
  const answers = new Map<number, (message: JsonObject) => void>();
  let shown: string[] = [];
  /** The turn that is waited for; subagents have threads of their own. */
  let thread: unknown;
  let turnOver = (): void => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) return;
    if (typeof message.id === "number") answers.get(message.id)?.(message);
    if (message.method === "hook/completed") shown.push(...entriesOf(message));
    if (message.method === "turn/completed" && asObject(message.params).threadId === thread) turnOver();
  });
  let last = 0;
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    last += 1;
    const answer = new Promise<JsonObject>((resolve) => answers.set(last, resolve));
    child.stdin.write(`${JSON.stringify({ id: last, method, params })}\n`);
    const { result, error } = await Promise.race([answer, lost]);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return asObject(result);
  };
  await request("initialize", {
    clientInfo: { name: "compat", version: "0" },
    capabilities: { experimentalApi: true },
  });
  child.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
  /** A request that starts a turn, until the turn is over. */
  const runTurn = async (method: string, params: JsonObject): Promise<void> => {
    const over = new Promise<void>((resolve) => {
      turnOver = resolve;
      thread = params.threadId;
    });
    await request(method, params);
    await Promise.race([over, lost]);
  };
  return {
    pid: child.pid ?? 0,
    request,
    async say(threadId, text) {
      shown = [];
      await runTurn("turn/start", { threadId, input: [{ type: "text", text }] });
      return shown;
    },
    async compact(threadId) {
      await request("thread/resume", { threadId });
      await runTurn("thread/compact/start", { threadId });
    },
    async close() {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      if (!isGone) await gone;
      clearTimeout(late);
    },
  };
}

/** What is said to the model is listed too: `context`, and the reason of a denial. Only that of a message is for the person. */
function entriesOf({ params }: JsonObject): string[] {
  const { entries, eventName } = asObject(asObject(params).run);
  const forModel = /^userpromptsubmit$/i.test(asString(eventName)) ? ["context"] : ["context", "feedback", "stop"];
  return asList(entries)
    .map(asObject)
    .filter(({ kind }) => !forModel.includes(asString(kind)))
    .map(({ text }) => asString(text));
}
