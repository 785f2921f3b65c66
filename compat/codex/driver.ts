import { mkdir } from "node:fs/promises";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { codexCapabilities, codexCodeModeCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { isCodeMode } from "../../src/edge/adapters/codex/events.ts";
import { codexHooksJson } from "../../src/edge/adapters/codex/hooks-json.ts";
import { trustCodexHooks } from "../../src/edge/adapters/codex/trust.ts";
import { answerOrFail, type KitOutcome, type KitRun, type RuntimeDriver } from "../../src/testing/kit/driver.ts";
import type { ModelRequest } from "../../src/testing/test/model-server/index.ts";
import { openAppClient } from "./app-client.ts";
import { CODEX, type CodexPlace, type CodexRun, hookCommand, newPlace, runCodex, writeFiles } from "./codex-run.ts";
import { conductHome, startDaemon } from "./daemon.ts";
import { kitRequest, nativeScript } from "./script.ts";

/** How long a hook waits for a daemon that does not answer. The usual limit would be up at a stop after two minutes. */
const HANG_MS = 1_500;

/** Codex itself, with our command hook and a daemon in this process. */
export function codexDriver({ codeMode = false }: { readonly codeMode?: boolean } = {}): RuntimeDriver {
  return {
    name: codeMode ? "codex in code mode" : "codex",
    capabilities: codeMode ? codexCodeModeCapabilities : codexCapabilities,
    toolName: (tool) => tool,
    run: (run) => runKit(run, codeMode),
  };
}

/** Calls made inside a script have ids that Codex gives; they come in the order in which the model has made them. */
function withKitIds(events: readonly ConductEvent[], said: readonly string[]): readonly ConductEvent[] {
  const wanted = [...said];
  const ids = new Map<string, string>();
  return events.map((event) => {
    if (event.type !== "call" || !isCodeMode(event.call)) return event;
    const id = ids.get(event.call.id) ?? wanted.shift() ?? event.call.id;
    ids.set(event.call.id, id);
    return { ...event, call: { ...event.call, id } };
  });
}

async function runKit(run: KitRun, codeMode: boolean): Promise<KitOutcome> {
  const { agent, message, further = [], files = {}, session = {}, ports = {}, failing, mcpServers = {} } = run;
  const place = newPlace();
  const at = { workspace: place.workspace, home: conductHome(place) };
  await mkdir(at.workspace, { recursive: true });
  await mkdir(at.home, { recursive: true });
  await writeFiles(at.workspace, files);
  await run.before?.(1, at);
  const native = nativeScript(run.script, codeMode);
  let asked = 0;
  const begun = () => (failing === "hang" ? asked === 1 : asked > 0);
  const around = <T>(answer: () => Promise<T>) => answerOrFail(failing, begun, answer);
  const daemon = await startDaemon(place, agent, () => session, ports, around);
  try {
    const script = async (request: ModelRequest) => {
      asked += 1;
      if (failing === "gone") await daemon.close();
      return native.reply(request);
    };
    const before = async (turn: number, thread: string) => {
      if (run.steps?.[turn] === "compact") await compact(place, thread);
      if (turn > 1) await run.before?.(turn, at);
    };
    const model = codeMode ? "gpt-6.1-sol" : "gpt-5.5";
    // Every message after the first is a process of its own that resumes the conversation.
    const end = await runCodex({ place, message, further, before, script, model, mcpServers, ...hooksFor(run, place) });
    if (end.exitCode !== 0) throw new Error(`codex ended with ${end.exitCode}: ${end.stderr.slice(-2_000)}`);
    return {
      requests: end.server.requests.map(kitRequest),
      events: codeMode ? withKitIds(daemon.events, native.said) : daemon.events,
      shown: daemon.shown,
      unplayed: native.unplayed(),
      file: (path) => end.files.get(path),
    };
  } finally {
    await daemon.close();
    place.remove();
  }
}

function hooksFor({ failing }: KitRun, { socket }: CodexPlace): Pick<CodexRun, "hooks"> {
  if (failing !== "hang") return {};
  return { hooks: codexHooksJson(hookCommand(socket, `CONDUCT_HOOK_MS=${HANG_MS}`)) };
}

/** `codex exec` has no way to do it; a client of the app server runs trusted hooks only. */
async function compact(place: CodexPlace, thread: string): Promise<void> {
  await trustCodexHooks(place.home, place.workspace, CODEX);
  const client = await openAppClient(place);
  try {
    await client.compact(thread);
  } finally {
    await client.close();
  }
}
