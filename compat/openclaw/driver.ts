import { setTimeout as sleep } from "node:timers/promises";
import { openclawCapabilities } from "../../src/edge/adapters/capabilities.ts";
import type { KitOutcome, KitRun, RuntimeDriver } from "../../src/testing/kit/driver.ts";
import { limited, type Machine } from "../shipped/machine.ts";
import { clawScript } from "./script.ts";
import { type ClawRun, ShippedClaw } from "./shipped-claw.ts";

/** How long the agent may take to continue after a refused stop; only a failing test waits that long. */
const CONTINUE_MS = 30_000;
/** Events of a turn may follow its answer: without a new one for so long, there is none. */
const QUIET_MS = 300;

/** OpenClaw's own gateway, set up by `conduct init openclaw`. */
export function openclawDriver(): RuntimeDriver & { close(): Promise<void> } {
  let claw: ShippedClaw | undefined;
  return {
    name: "openclaw",
    capabilities: openclawCapabilities,
    toolName: (tool) => tool,
    async run(run) {
      if (run.failing === "gone") return runAlone(run);
      claw ??= new ShippedClaw();
      return runShipped(run, claw);
    },
    async close() {
      await claw?.close();
      claw = undefined;
    },
  };
}

/** In an OpenClaw of its own, whose plugin was loaded from the package that the scenario removes. */
async function runAlone(run: KitRun): Promise<KitOutcome> {
  const claw = new ShippedClaw();
  try {
    return await runShipped(run, claw);
  } finally {
    await claw.close();
  }
}

async function runShipped(run: KitRun, claw: ShippedClaw): Promise<KitOutcome> {
  const { failing } = run;
  const machine = claw.machine(run);
  const script = clawScript(run.script, async (request) => {
    if (failing === "hang" && request > 1) machine.wake();
    else if (failing !== undefined && request === 1) await machine.fail(failing);
  });
  try {
    await run.before?.(1, machine.place);
    const opened = await claw.open(run, machine);
    machine.onClose(() => opened.server.setScript([]));
    opened.server.setScript(script.reply);
    machine.answerQuestions();
    const shown = await limited(playTurns(run, machine, opened));
    const files = machine.files();
    return {
      requests: opened.requests().map(script.request),
      events: machine.events(),
      shown,
      unplayed: script.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await machine.close();
  }
}

async function playTurns(run: KitRun, machine: Machine, opened: ClawRun): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await opened.gateway().request("sessions.compact", { key: opened.key });
    if (step === "resume") await opened.restart();
    await machine.before(index + 1);
    shown.push(...(await playTurn(run, machine, opened, message)));
  }
  return shown;
}

async function playTurn(run: KitRun, machine: Machine, opened: ClawRun, message: string): Promise<readonly string[]> {
  const { key } = opened;
  const gateway = opened.gateway();
  if (isForHttp(run, message)) {
    await gateway.post(key, message);
    await quiet(machine);
    return [];
  }
  const { said } = await gateway.chat(key, message);
  await quiet(machine);
  while (lastStop(machine) === "refused" && run.failing === undefined) {
    if ((await gateway.next(key, CONTINUE_MS)) === undefined) break;
    await quiet(machine);
  }
  return said;
}

/**
 * OpenClaw's chat has directives of its own: it removes `/think` and `/verbose` from a message, and answers `/elevated`
 * itself. Its HTTP side, like `openclaw agent`, sends the message as it is.
 */
function isForHttp({ shadow }: KitRun, message: string): boolean {
  return shadow === true || message.startsWith("/elevated");
}

async function quiet(machine: Machine): Promise<void> {
  for (let seen = -1; seen !== machine.events().length; await sleep(QUIET_MS)) seen = machine.events().length;
}

function lastStop(machine: Machine): string | undefined {
  return machine.events().findLast((event) => event.type === "stop")?.status;
}
