import { piExtensionCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { PI_EXTENSION, piExtensionText } from "../../src/edge/adapters/pi-extension/install.ts";
import type { KitOutcome, KitRun, RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { startDaemon } from "./daemon.ts";
import { newPlace, type PiHome, readFiles, writeFiles, writePiHome } from "./place.ts";
import { type PiProcess, startPi } from "./rpc.ts";
import { answerSummary, kitRequest, nativeScript } from "./script.ts";

/** The real `pi`, with the extension as `conduct init pi` installs it and a daemon in this process. */
export function piExtensionDriver({
  api = "anthropic-messages",
}: {
  readonly api?: PiHome["api"];
} = {}): RuntimeDriver {
  return {
    name: `pi-extension over ${api}`,
    capabilities: piExtensionCapabilities,
    toolName: (tool) => tool,
    run: (run) => runKit(run, api),
  };
}

/** With an approver the questions are for it, and not for the person at Pi. */
function extensionFor({ ports }: KitRun): string {
  if (ports?.approver === undefined) return piExtensionText({ plugin: PI_EXTENSION });
  const adapter = PI_EXTENSION.replace("extension.ts", "adapter.ts");
  return `import { daemonHost } from ${JSON.stringify(new URL("../../src/edge/host/daemon/daemon-host.ts", import.meta.url).pathname)};
import { conductExtension } from ${JSON.stringify(adapter)};
export default conductExtension({ host: daemonHost(), asks: "approver" });
`;
}

async function runKit(run: KitRun, api: PiHome["api"]): Promise<KitOutcome> {
  const { agent, files, session = {}, ports = {}, failing } = run;
  const place = newPlace();
  writeFiles(place.workspace, files);
  await run.before?.(1, place);
  const daemon = await startDaemon(place, agent, { session, ports });
  const script = nativeScript(run.script, async () => (failing === undefined ? undefined : daemon.fail(failing)));
  const server = await startModelServer({ script, ignore: answerSummary });
  try {
    const window = session.window ?? agent.limits.window ?? 200_000;
    const modelUrl = api === "anthropic-messages" ? server.url : server.openaiUrl;
    writePiHome(place, { modelUrl, api, window, extension: extensionFor(run) });
    const shown = await playTurns(run, place);
    const found = readFiles(place.workspace);
    return {
      requests: server.requests.map(kitRequest),
      events: daemon.events,
      shown,
      unplayed: server.remaining,
      file: (path) => found.get(path),
    };
  } finally {
    await daemon.close();
    await server.close();
    place.remove();
  }
}

/** Gives what the person was shown, by each `pi` that was started for it. */
async function playTurns(run: KitRun, place: ReturnType<typeof newPlace>): Promise<readonly string[]> {
  const started: PiProcess[] = [startPi(place, [])];
  const last = (): PiProcess => started.at(-1) as PiProcess;
  try {
    for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
      const step = run.steps?.[index + 1];
      if (step === "compact") await last().send({ type: "compact" });
      if (step === "resume") {
        await last().close();
        started.push(startPi(place, ["--continue"]));
      }
      if (index > 0) await run.before?.(index + 1, place);
      await last().prompt(message);
    }
  } finally {
    await last().close();
  }
  return started.flatMap(({ shown }) => shown);
}
