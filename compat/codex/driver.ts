import { mkdir } from "node:fs/promises";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { codexCapabilities, codexCodeModeCapabilities } from "../../src/edge/adapters/codex/capabilities.ts";
import type { KitOutcome, KitRun, RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { newPlace, runCodex, writeFiles } from "./codex-run.ts";
import { conductHome, startDaemon } from "./daemon.ts";
import { kitRequest, nativeScript } from "./script.ts";

/** Codex itself, with our command hook and a daemon in this process. */
export function codexDriver({ codeMode = false }: { readonly codeMode?: boolean } = {}): RuntimeDriver {
  return {
    name: codeMode ? "codex in code mode" : "codex",
    capabilities: codeMode ? codexCodeModeCapabilities : codexCapabilities,
    toolName: (tool) => tool,
    run: (run) => runKit(run, codeMode),
  };
}

/** Calls made inside a script have ids that Codex gives; they come in the order in which the kit's script has them. */
function withKitIds(events: readonly ConductEvent[], script: KitRun["script"]): readonly ConductEvent[] {
  const wanted = script
    .flatMap((entry) => (typeof entry === "function" ? [] : (entry.calls ?? [])))
    .map(({ id }) => id);
  const ids = new Map<string, string>();
  return events.map((event) => {
    if (event.type !== "call") return event;
    const id = ids.get(event.call.id) ?? wanted.shift() ?? event.call.id;
    ids.set(event.call.id, id);
    return { ...event, call: { ...event.call, id } };
  });
}

async function runKit(run: KitRun, codeMode: boolean): Promise<KitOutcome> {
  const { agent, message, further = [], files = {}, script, session = {}, ports = {} } = run;
  const place = newPlace();
  const at = { workspace: place.workspace, home: conductHome(place) };
  await mkdir(at.workspace, { recursive: true });
  await mkdir(at.home, { recursive: true });
  await writeFiles(at.workspace, files);
  await run.before?.(1, at);
  const daemon = await startDaemon(place, agent, () => session, ports);
  try {
    const native = nativeScript(script, codeMode);
    const model = codeMode ? "gpt-6.1-sol" : "gpt-5.5";
    const before = async (turn: number) => (turn === 1 ? undefined : run.before?.(turn, at));
    const end = await runCodex({ place, message, further, before, script: native, model });
    if (end.exitCode !== 0) throw new Error(`codex ended with ${end.exitCode}: ${end.stderr.slice(-2_000)}`);
    return {
      requests: end.server.requests.map(kitRequest),
      events: codeMode ? withKitIds(daemon.events, script) : daemon.events,
      shown: daemon.shown,
      unplayed: end.server.remaining,
      file: (path) => end.files.get(path),
    };
  } finally {
    await daemon.close();
    place.remove();
  }
}
