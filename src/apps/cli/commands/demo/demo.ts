import { relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { plural } from "../../line/printable.ts";
import { renderFaults } from "../../line/render-faults.ts";
import type { Terminal } from "../../line/terminal.ts";
import { version } from "../../line/version.ts";
import { timeline } from "../../timeline/event-lines.ts";
import { speechLines } from "../../timeline/layout.ts";
import { renderHeader, renderSummary } from "./parts/frame.ts";
import { play } from "./parts/play.ts";
import { openSandbox } from "./parts/sandbox.ts";
import { tally } from "./parts/tally.ts";

const EXAMPLE = fileURLToPath(new URL("../../../../../examples/release/", import.meta.url));
const PAUSE_MS = 160;

/** Time as the demo has it; a test holds it in its hands. */
export type DemoWorld = { readonly clock: Clock; readonly zone?: string; pause(): Promise<void> };

/** `conduct demo`: the five moments in a terminal. */
export const demo: CommandBody = (args, terminal) => {
  const unhurried = terminal.tty && !terminal.json && args.fast !== true;
  return runDemo(args, terminal, { clock: nodeClock(), pause: () => sleep(unhurried ? PAUSE_MS : 0) });
};

/** The example's agent in a sandbox, shown as it goes. */
export async function runDemo(args: Arguments, terminal: Terminal, world: DemoWorld): Promise<Outcome> {
  const path = `${EXAMPLE}conduct.yaml`;
  const file = relative(terminal.cwd, path).startsWith("..") ? path : relative(terminal.cwd, path);
  const loaded = await loadConfigFile(path, file);
  if ("error" in loaded) return { ok: false, ...loaded.error, next: [] };
  const { parsed, texts } = loaded;
  if ("faults" in parsed) {
    const message = `the demo's agent cannot be used: ${plural(parsed.faults.length, "fault")} in ${file}`;
    return {
      ok: false,
      code: "CONFIG_INVALID",
      message,
      fix: "correct these lines and run the demo again",
      result: { file, faults: parsed.faults },
      text: `\n${renderFaults(parsed.faults, texts, "fault", terminal.paint)}\n  ${terminal.paint("red", `✗ ${message}`)}\n\n`,
      next: [{ command: `conduct config check ${file}`, description: "Check the file again" }],
    };
  }
  const [agent] = parsed.agents;
  if (agent === undefined) throw new Error(`${file} defines no agent`);
  return showDemo(agent, file, args.keep === true, terminal, world);
}

async function showDemo(
  agent: Agent,
  file: string,
  keep: boolean,
  { paint, columns, json, out, invocation }: Terminal,
  { clock, zone, pause }: DemoWorld,
): Promise<Outcome> {
  const say = (text: string) => (json ? undefined : out(text));
  const layout = { columns, paint, timeOf: clockTime(zone) };
  const show = timeline(layout);
  const events: ConductEvent[] = [];
  const started = clock.monotonic();
  const sandbox = await openSandbox(`${EXAMPLE}project`);
  try {
    say(renderHeader({ version: version(), agent: agent.name, file, root: sandbox.root }, paint));
    const status = await play({
      agent,
      root: sandbox.root,
      clock,
      pause,
      onEvent: (event) => {
        events.push(event);
        for (const line of show(event)) say(`${line}\n`);
      },
      onSpeech: (text) => say(`\n${speechLines(layout, text).join("\n")}\n`),
    });
    const next = [
      { command: `conduct config check ${file}`, description: "see what binds this agent" },
      { command: "conduct demo --fast --json", description: "the same as data" },
    ];
    const tries = [
      { command: `${invocation} demo`, description: `after a change in ${file}` },
      ...next.map((one) => ({ ...one, command: one.command.replace(/^conduct/, invocation) })),
    ];
    const figures = tally(events);
    const kept = keep ? { kept: sandbox.root } : {};
    const facts = { status, seconds: (clock.monotonic() - started) / 1_000, tally: figures, ...kept };
    return {
      ok: true,
      result: { status, tally: figures, ...kept, events },
      text: renderSummary(facts, tries, paint),
      next,
    };
  } finally {
    await sandbox.close(keep);
  }
}

function clockTime(zone: string | undefined): (at: number) => string {
  const place = zone === undefined ? {} : { timeZone: zone };
  const format = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...place });
  return (at) => format.format(at);
}
