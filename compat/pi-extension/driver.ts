import { dirname, join } from "node:path";
import { piExtensionCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { piExtensionFile } from "../../src/edge/adapters/pi-extension/install.ts";
import type { KitAnswer, KitOutcome, KitRun, RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { limited, Machine } from "../shipped/machine.ts";
import { ALONE, type PiHome, piFiles } from "./place.ts";
import { type Dialogs, openPi, type PiProcess } from "./rpc.ts";
import { answerSummary, kitRequest, nativeScript } from "./script.ts";

/** The real `pi`, set up by `conduct init pi`. The person at it answers Conduct's questions in its dialogs. */
export function piExtensionDriver({
  api = "anthropic-messages",
}: {
  readonly api?: PiHome["api"];
} = {}): RuntimeDriver {
  return {
    name: `pi-extension over ${api}`,
    capabilities: piExtensionCapabilities,
    toolName: (tool) => tool,
    run: (run) => runShipped(run, api),
  };
}

async function runShipped(run: KitRun, api: PiHome["api"]): Promise<KitOutcome> {
  const { failing } = run;
  const machine = new Machine(run, () => ALONE);
  const script = nativeScript(run.script, async (at) => {
    if (failing === "hang" && at > 0) machine.wake();
    else if (failing !== undefined && at === 0) await machine.fail(failing);
  });
  const server = await startModelServer({ script, ignore: answerSummary });
  try {
    const modelUrl = api === "anthropic-messages" ? server.url : server.openaiUrl;
    const folder = dirname(dirname(piExtensionFile({ HOME: machine.user })));
    for (const [name, text] of Object.entries(piFiles({ modelUrl, api, window: run.window ?? 200_000 })))
      machine.write(join(folder, name), text);
    await run.before?.(1, machine.place);
    await machine.setUp("pi");
    const shown = await limited(playTurns(run, machine));
    const found = machine.files();
    return {
      requests: server.requests.map(kitRequest),
      events: machine.events(),
      shown,
      unplayed: server.remaining,
      file: (path) => found.get(path),
    };
  } finally {
    await machine.close();
    await server.close();
  }
}

/** Returns what the person was shown by each `pi` of the run. */
async function playTurns(run: KitRun, machine: Machine): Promise<readonly string[]> {
  const started: PiProcess[] = [];
  const dialogs = answering(run.answers ?? []);
  const start = (...args: readonly string[]): PiProcess => {
    const pi = openPi(machine.workspace, machine.env, args, dialogs);
    machine.onClose(() => pi.close());
    started.push(pi);
    return pi;
  };
  let pi = start();
  for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await pi.send({ type: "compact" });
    if (step === "resume") {
      await pi.close();
      pi = start("--continue");
    }
    await machine.before(index + 1);
    await pi.prompt(message);
  }
  await pi.close();
  return started.flatMap(({ shown }) => shown);
}

/** The person at Pi, who closes a dialog without an answer for `none`. */
function answering(answers: readonly KitAnswer[]): Dialogs {
  const left = [...answers];
  return () => {
    const answer = left.shift() ?? "none";
    return answer === "none" ? { cancelled: true } : { value: answer === "yes" ? "Yes, this once" : "No" };
  };
}
