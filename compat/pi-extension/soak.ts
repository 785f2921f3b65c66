import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  createAgentSession,
  DefaultResourceLoader,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { conductExtension } from "../../src/edge/adapters/pi-extension/adapter.ts";
import { piExtensionFile } from "../../src/edge/adapters/pi-extension/install.ts";
import { localHost } from "../../src/edge/host/opening/local-host.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { newPlace, writeFiles, writePiHome } from "./place.ts";

/**
 * Many turns of the real Pi in one process, each a message, a call and an answer, and what it holds afterwards:
 *   node --expose-gc compat/pi-extension/soak.ts [--turns 1000] [--per-session 50] [--without]
 * `--without` runs the same without Conduct.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "1000" },
    "per-session": { type: "string", default: "50" },
    without: { type: "boolean", default: false },
  },
});
const turns = Number(values.turns);
const perSession = Number(values["per-session"]);
const every = Math.max(1, Math.floor(turns / 10));
if (globalThis.gc === undefined) throw new Error("run it with node --expose-gc");

const place = newPlace();
writeFiles(place.workspace, { "a.txt": "a small file\n" });
const model = spawn(process.execPath, [join(import.meta.dirname, "soak-model.ts")], {
  stdio: ["pipe", "pipe", "inherit"],
});
const [address] = await once(model.stdout.setEncoding("utf8"), "data");
writePiHome(place, { modelUrl: String(address).trim(), api: "anthropic-messages", window: 200_000, extension: null });
const agentDir = dirname(dirname(piExtensionFile({ HOME: place.user })));

const agent = defineAgent({ name: "soak", soul: "Be steady.", policies: [new ReadBeforeWritePolicy()] });
const conduct = openConductFromEnv({ agents: [agent], workspace: place.workspace, home: place.home });
const extension = conductExtension({ host: localHost(conduct, { agent: "soak" }) });
const decided = { calls: 0, stops: 0 };
conduct.subscribe((event) => {
  if (event.type === "call") decided.calls += 1;
  if (event.type === "stop") decided.stops += 1;
});

async function openPi() {
  const cwd = place.workspace;
  const resourceLoader = new DefaultResourceLoader({
    cwd,
    agentDir,
    extensionFactories: values.without ? [] : [extension],
  });
  await resourceLoader.reload();
  const modelRuntime = await ModelRuntime.create({
    authPath: join(agentDir, "auth.json"),
    modelsPath: join(agentDir, "models.json"),
  });
  const settings = { compaction: { enabled: false }, defaultProvider: "scripted", defaultModel: "scripted" };
  const { session } = await createAgentSession({
    cwd,
    agentDir,
    modelRuntime,
    resourceLoader,
    sessionManager: SessionManager.inMemory(cwd),
    settingsManager: SettingsManager.inMemory({ ...settings, defaultThinkingLevel: "off" }),
  });
  await session.bindExtensions({ mode: "print" });
  return session;
}

type Held = { readonly turn: number; readonly heapMb: number; readonly handles: number; readonly msPerTurn: number };

async function held(turn: number, ms: number): Promise<Held> {
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc?.();
    await breathe();
  }
  const heapMb = Math.round(process.memoryUsage().heapUsed / 104_857.6) / 10;
  return { turn, heapMb, handles: process.getActiveResourcesInfo().length, msPerTurn: Math.round(ms * 10) / 10 };
}

const measured: Held[] = [];
let session = await openPi();
let since = performance.now();
for (let turn = 1; turn <= turns; turn += 1) {
  await session.prompt(`turn ${turn}`);
  if (turn % perSession === 0 && turn < turns) {
    await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
    session.dispose();
    session = await openPi();
  }
  if (turn % every === 0) {
    measured.push(await held(turn, (performance.now() - since) / every));
    since = performance.now();
  }
}
console.table(measured);
console.log({
  conduct: !values.without,
  turns,
  perSession,
  ...decided,
  rssMb: Math.round(process.memoryUsage().rss / 1_048_576),
});
session.dispose();
await conduct.close();
model.stdin.end();
await once(model, "close");
place.remove();
