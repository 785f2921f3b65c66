import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { conductVersion, packageFile } from "../../../../edge/host/node/package-files.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import { MOMENTS } from "../../../shared/event-words.ts";
import { count, plural } from "../../../shared/printable.ts";
import type { DemoArgs } from "../../declared/develop-commands.ts";
import { asTyped } from "../../line/invocation.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { shortPath } from "../../stores/config-text.ts";
import { timeIn } from "../../stores/with-store.ts";
import { openSandbox, play } from "./play.ts";
import { speechLines, timeline } from "./timeline.ts";

const EXAMPLE = packageFile("examples/release");
const PAUSE_MS = 160;

/** The clock and pauses of the demo; replaced in tests. */
export type DemoWorld = { readonly clock: Clock; readonly zone?: string; pause(): Promise<void> };

/** `conduct demo`: the five moments in a terminal. */
export function demo(args: DemoArgs, terminal: Terminal): Promise<Outcome> {
  const unhurried = terminal.tty && !terminal.json && args.fast !== true;
  return runDemo(args, terminal, { clock: nodeClock(), pause: () => sleep(unhurried ? PAUSE_MS : 0) });
}

/** Runs the example's agent in a sandbox and prints each moment as it happens. */
export async function runDemo(args: DemoArgs, terminal: Terminal, world: DemoWorld): Promise<Outcome> {
  const file = join(EXAMPLE, "conduct.yaml");
  const loaded = await loadConfigFile(file);
  const agent = "parsed" in loaded && "agents" in loaded.parsed ? loaded.parsed.agents[0] : undefined;
  if (agent === undefined) throw new Error(`${file} defines no agent`);
  return showDemo(agent, shortPath(file, terminal.cwd), args.keep === true, terminal, world);
}

async function showDemo(
  agent: Agent,
  file: string,
  keep: boolean,
  { paint, columns, json, out, invocation }: Terminal,
  { clock, zone, pause }: DemoWorld,
): Promise<Outcome> {
  const say = (text: string) => (json ? undefined : out(text));
  const layout = { columns, paint, timeOf: timeIn(zone) };
  const show = timeline(layout);
  const events: ConductEvent[] = [];
  const started = clock.monotonic();
  const sandbox = await openSandbox(join(EXAMPLE, "project"));
  try {
    say(renderHeader({ version: conductVersion(), agent: agent.name, file, root: sandbox.root }, paint));
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
      { command: `conduct config check ${file}`, description: "see the rules of this agent" },
      { command: "conduct demo --fast --json", description: "the same as JSON" },
    ];
    const tries = [
      { command: `${invocation} demo`, description: `after a change in ${file}` },
      ...next.map((one) => ({ ...one, command: asTyped(one.command, invocation) })),
    ];
    const figures = tally(events);
    const kept = keep ? sandbox.root : undefined;
    const facts = { status, seconds: (clock.monotonic() - started) / 1_000, tally: figures, kept };
    return done({ status, tally: figures, kept, events }, renderSummary(facts, tries, paint), next);
  } finally {
    await sandbox.close(keep);
  }
}

/** Introduces the demo: what Conduct is, what is about to happen and how to read it. */
export function renderHeader(
  facts: { readonly version: string; readonly agent: string; readonly file: string; readonly root: string },
  paint: Paint,
): string {
  const moments = Object.entries(MOMENTS).map(([name, { glyph, style }]) => `${paint(style, glyph)} ${name}`);
  return [
    "",
    `  ${paint("bold", `Conduct ${facts.version}`)} · behavior control plane for LLM agents`,
    "",
    row("agent", `${facts.agent}, defined in ${facts.file}`, paint),
    row("model", "scripted, no key needed; its tools are real: files and a shell", paint),
    row("sandbox", facts.root, paint),
    row("moments", moments.join("   "), paint),
    row(
      "marks",
      `${paint("green", "✓")} passed   ${paint("amber", "!")} advised   ${paint("red", "✗")} refused`,
      paint,
    ),
    "",
    "",
  ].join("\n");
}

export function renderSummary(
  facts: {
    readonly status: string;
    readonly seconds: number;
    readonly tally: ReturnType<typeof tally>;
    readonly kept?: string;
  },
  tries: readonly { readonly command: string; readonly description: string }[],
  paint: Paint,
): string {
  const { calls, denied, failed, feedback, tokensSaved, pagesRead, stopsRefused } = facts.tally;
  const rules = Object.entries(denied).map(([rule, times]) => `${times} by ${rule}`);
  const all = Object.values(denied).reduce((sum, times) => sum + times, 0);
  return [
    "",
    `  ${paint("bold", facts.status)} after ${facts.seconds.toFixed(1)} s`,
    "",
    row("calls", `${calls} · ${all} denied · ${failed} failed`, paint),
    ...(all === 0 ? [] : [row("denied", rules.join(", "), paint)]),
    row(
      "results",
      `${count(tokensSaved)} tokens kept out of the context, ${plural(pagesRead, "page")} read back`,
      paint,
    ),
    row("feedback", plural(feedback, "time"), paint),
    row("stops", `${stopsRefused} refused`, paint),
    ...(facts.kept === undefined ? [] : [row("sandbox", `kept: ${facts.kept}`, paint)]),
    "",
    // In shell syntax: a comment, then the command to copy.
    ...tries.flatMap(({ command, description }, at) => [
      row(at === 0 ? "try" : "", paint("dim", `# ${description}`), paint),
      row("", command, paint),
    ]),
    "",
    "",
  ].join("\n");
}

function row(label: string, text: string, paint: Paint): string {
  return `  ${paint("dim", label.padEnd(9))}  ${text}`;
}

export function tally(events: readonly ConductEvent[]) {
  const calls = events.filter((event) => event.type === "call");
  const results = events.filter((event) => event.type === "result");
  const denied: Record<string, number> = {};
  for (const { decision } of calls)
    if (decision.kind === "deny") denied[decision.rule] = (denied[decision.rule] ?? 0) + 1;
  const cuts = results.flatMap(({ truncation }) => truncation);
  return {
    calls: calls.length,
    denied,
    failed: results.filter(({ outcome }) => outcome === "failed").length,
    feedback: results.reduce((sum, { feedback }) => sum + feedback.length, 0),
    tokensSaved: cuts.reduce((sum, { original, kept }) => sum + original - kept, 0),
    pagesRead: results.filter(({ tool, outcome }) => tool === "read_result" && outcome === "ok").length,
    stopsRefused: events.filter((event) => event.type === "stop" && event.status === "refused").length,
  };
}
