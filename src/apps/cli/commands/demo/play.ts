import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { workspaceTools } from "../../../../edge/adapters/shared/workspace-tools.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { sequentialIds } from "../../../../edge/host/node/node-ids.ts";
import { openConductFromEnv } from "../../../../edge/host/opening/open-conduct.ts";
import {
  type LoopCall,
  type LoopEnd,
  type LoopModel,
  type LoopReply,
  type LoopRequest,
  runScriptedLoop,
} from "../../../../testing/loop/scripted-loop.ts";

const LOG_LINES = 9_000;
/** The sandbox folder is removed on every one of these. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Sandbox = { readonly root: string; close(keep: boolean): Promise<void> };

/** Creates a folder with a copy of the example's project; the agent's tools really run in it. */
export async function openSandbox(project: string): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "conduct-demo-")));
  await cp(project, root, { recursive: true });
  await mkdir(join(root, "logs"));
  await writeFile(join(root, "logs", "ci.log"), longLog());
  const remove = () => rmSync(root, { recursive: true, force: true });
  const interrupt = () => process.exit(130);
  process.once("exit", remove);
  for (const signal of SIGNALS) process.once(signal, interrupt);
  return {
    root,
    async close(keep) {
      process.off("exit", remove);
      for (const signal of SIGNALS) process.off(signal, interrupt);
      if (!keep) await rm(root, { recursive: true, force: true });
    },
  };
}

/** The same in every run, so that recordings can be compared. */
function longLog(): string {
  const lines = Array.from({ length: LOG_LINES }, (_, at) => {
    const minute = String(Math.floor(at / 150) % 60).padStart(2, "0");
    const second = String(Math.floor(at / 2.5) % 60).padStart(2, "0");
    return `03:${minute}:${second} runner-${at % 7} step ${at + 1} of ${LOG_LINES} ok in ${(at * 37) % 900} ms`;
  });
  return `${lines.join("\n")}\n`;
}

type Step = (request: LoopRequest) => LoopReply | undefined;

const COMMANDS: Readonly<Record<string, string>> = { test: "npm test", lint: "npm run lint", build: "npm run build" };
const FIXED = `/** The price with its tax. */\nexports.withTax = (net, rate) => net * (1 + rate);\n`;

/**
 * An agent in a hurry: it starts with the deploy and learns from each denial. Its next step depends on the answers, so
 * it also finishes with an edited conduct.yaml.
 */
function hastyAgent(): LoopModel {
  let id = 0;
  const call = (tool: string, args: LoopCall["args"]): LoopCall => ({ id: `c_${++id}`, tool, args });
  const shell = (command: string) => [call("shell", { command })];
  const fix = () => [call("write_file", { path: "src/price.cjs", content: FIXED })];
  const read = () => [call("read_file", { path: "src/price.cjs" })];
  const plan: Step[] = [
    () => ({ text: "Straight to production.", calls: shell("npm run deploy") }),
    () => ({ text: "The tests, then.", calls: shell("npm test") }),
    () => ({ text: "They ran. That will do.", calls: shell("npm run deploy") }),
    () => ({ text: "I know what is wrong in src/price.cjs.", calls: fix() }),
    (request) => (wasDenied(request) ? { text: "Then I read it first.", calls: read() } : undefined),
    (request) => (isRead(request) ? { text: "A plus that should be a factor.", calls: fix() } : undefined),
    () => ({ text: "Again.", calls: shell("npm test") }),
    () => ({ text: "What did the last CI run say?", calls: [call("read_file", { path: "logs/ci.log" })] }),
    (request) => {
      const rest = /"handle":"([^"]+)","offset":(\d+)/.exec(lastText(request));
      if (rest === null) return undefined;
      const args = { handle: rest[1] ?? "", offset: Number(rest[2]), limit: 300 };
      return { text: "A page of the rest is enough.", calls: [call("read_result", args)] };
    },
    () => ({ text: "All green. The build.", calls: shell("npm run build") }),
    () => ({ text: "Now?", calls: shell("npm run deploy") }),
  ];
  return (request) => {
    for (let step = plan.shift(); step !== undefined; step = plan.shift()) {
      const reply = step(request);
      if (reply !== undefined) return reply;
    }
    return improvise(request, shell, call);
  };
}

/** After the plan: the last answer names the missing actions. */
function improvise(
  request: LoopRequest,
  shell: (command: string) => readonly LoopCall[],
  call: (tool: string, args: LoopCall["args"]) => LoopCall,
): LoopReply {
  const text = lastText(request);
  const command = COMMANDS[missingActions(text).find((name) => Object.hasOwn(COMMANDS, name)) ?? ""];
  if (command !== undefined) return { text: "That is still missing.", calls: shell(command) };
  const afterCheck = Object.values(COMMANDS).includes(lastCommand(request) ?? "") && !text.startsWith("Required");
  if (afterCheck) return { text: "Once more.", calls: shell("npm run deploy") };
  const [file] = /Required files are missing: (.+)\.$/m.exec(text)?.[1]?.split(", ") ?? [];
  if (file === undefined) return { text: wasDenied(request) ? "I stop here." : "Done." };
  const content = "# Release 1.4.0\n\nTests pass, the build is deployed.\n";
  return { text: `Right, ${file}.`, calls: [call("write_file", { path: file, content })] };
}

/** In the format of a denial or of the completion check. */
function missingActions(text: string): readonly string[] {
  const denied = /^Missing: (.+)$/m.exec(text)?.[1]?.split("; ") ?? [];
  const unproven = /(?:Not run in this session|Failed the last time): ([^.]+)\./.exec(text)?.[1]?.split(", ") ?? [];
  return [...denied.map((item) => item.split(" ")[0] ?? ""), ...unproven];
}

function lastText({ messages }: LoopRequest): string {
  const last = messages.at(-1);
  return last?.text ?? "";
}

function lastCommand({ messages }: LoopRequest): string | undefined {
  const last = messages.findLast((message) => message.role === "assistant");
  const command = last?.role === "assistant" ? last.calls.at(-1)?.args.command : undefined;
  return typeof command === "string" ? command : undefined;
}

function wasDenied(request: LoopRequest): boolean {
  return lastText(request).startsWith("Denied by ");
}

function isRead(request: LoopRequest): boolean {
  return lastText(request).includes("exports.withTax");
}

type PlayOptions = {
  readonly agent: Agent;
  readonly root: string;
  readonly clock?: Clock;
  readonly onEvent: (event: ConductEvent) => void;
  readonly onSpeech: (text: string) => void;
  /** Called between two replies, so that a person can read along. */
  readonly pause: () => Promise<void>;
};

/** Runs the scripted agent with real tools in the sandbox; Conduct decides on every moment. */
export async function play(options: PlayOptions): Promise<LoopEnd["status"]> {
  const { agent, root, clock = nodeClock(), onEvent, onSpeech, pause } = options;
  const conduct = openConductFromEnv({
    agents: [agent],
    workspace: root,
    home: join(root, ".conduct-home"),
    keys: join(root, ".conduct-keys"),
    ports: { clock, ids: sequentialIds() },
  });
  conduct.subscribe(onEvent);
  const session = conduct.session({ agent: agent.name });
  const own = Object.fromEntries(session.tools().map((tool) => [tool.name, tool.run]));
  const think = hastyAgent();
  const { status } = await runScriptedLoop({
    session,
    message: "deploy it",
    tools: { ...workspaceTools(root), ...own },
    model: async (request) => {
      await pause();
      const reply = await think(request);
      if (reply.text !== undefined) onSpeech(reply.text);
      return reply;
    },
  });
  session.notice({ kind: "ended", reason: status });
  await conduct.close();
  return status;
}
