import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseObject } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { conductProgram } from "../../../../edge/host/daemon/daemon-place.ts";
import { type ClientCommand, clientCommand } from "../../../install/client-command.ts";
import { readLauncher } from "../../../install/launcher/launcher-files.ts";

const LIMIT_MS = 30_000;

/** Where a client would start a proxy of ours. */
export type TalkPlace = { readonly env: NodeJS.ProcessEnv; readonly home: string; readonly cwd: string };

/** A client's talk with it, in JSON-RPC line by line. */
export type Talk = { say(message: object): void; end(): void };

/** As `conduct init` shows it; by this very program where nobody has set it up, which is how a person would start it. */
async function startedBy(home: string, words: readonly string[]): Promise<ClientCommand> {
  if ((await readLauncher(home)).kind !== "missing") return clientCommand({ home }, words);
  return { command: process.execPath, args: [conductProgram(), ...words], env: { CONDUCT_HOME: home } };
}

/** Starts Conduct with these words as a client would, and hears every message until it ends; gives what it wrote beside them. */
export async function talkTo(
  { env, home, cwd }: TalkPlace,
  words: readonly string[],
  first: object,
  hear: (message: JsonObject, talk: Talk) => void,
): Promise<string> {
  const { command, args, env: own } = await startedBy(home, words);
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...own },
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const closed = once(child, "close");
  let logs = "";
  child.stderr.on("data", (text: Buffer) => {
    logs += text;
  });
  child.stdin.on("error", () => undefined);
  const talk: Talk = {
    say: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    end: () => void child.stdin.end(),
  };
  talk.say(first);
  for await (const line of createInterface({ input: child.stdout })) hear(parseObject(line) ?? {}, talk);
  await closed;
  return logs.trim();
}
