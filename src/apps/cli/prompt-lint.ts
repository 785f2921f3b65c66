import { realpath } from "node:fs/promises";
import type { Agent } from "../../base/words/agent.ts";
import type { Fault } from "../../base/words/event.ts";
import { type LintedContributor, type LintFinding, lintPrompt } from "../../behavior/prompt/lint-prompt.ts";
import { conductHome } from "../../edge/host/open-conduct.ts";
import { openPreviews, type PromptPreviews, promptBudget } from "../../edge/host/preview-prompt.ts";
import { probeAgent } from "../../edge/host/preview-prompt-probes.ts";
import { listPrompts, readPrompt } from "../../edge/host/workspace-prompts-read.ts";
import type { Arguments, CommandBody } from "./command.ts";
import type { Outcome } from "./outcome.ts";
import { plural } from "./printable.ts";
import { chosenAgent, promptAgents } from "./prompt-agents.ts";
import { type Place, type PlaceFiles, placeOf } from "./prompt-places.ts";
import type { PromptWorld } from "./prompt-preview.ts";
import { renderLint } from "./prompt-render-lint.ts";
import type { Terminal } from "./terminal.ts";

/** A finding with its place; `rule` has two more for files that are left out. */
export type PlacedFinding = Omit<LintFinding, "rule"> & {
  readonly rule: LintFinding["rule"] | "untrusted-file" | "broken-file";
  readonly place?: Place;
};

/** What was found in one agent's texts, and what they cost: `always` in every session, `all` with every tag selected. */
export type LintedAgent = {
  readonly agent: string;
  readonly findings: readonly PlacedFinding[];
  readonly sections: readonly Pick<LintedContributor, "id" | "source" | "tags" | "tokens">[];
  readonly always: number;
  readonly all: number;
  readonly budget: number;
};

/** `conduct prompt lint [--agent A] [--config FILE]` */
export const promptLint: CommandBody = (args, terminal) =>
  runPromptLint(args, terminal, { home: conductHome(), now: () => 0 });

/** Reads what every agent may be told and says what is doubtful about it. Errors fail the command, warnings do not. */
export async function runPromptLint(args: Arguments, terminal: Terminal, world: PromptWorld): Promise<Outcome> {
  const found = await promptAgents(args, terminal);
  if ("outcome" in found) return found.outcome;
  const named = args.agent === undefined ? undefined : chosenAgent(found, args.agent);
  if (named !== undefined && "message" in named) {
    const fix = `conduct prompt lint ${named.fix}`;
    return { ok: false, code: "UNKNOWN_AGENT", message: named.message, fix, next: [], exitCode: 2 };
  }
  const { agents, channels, texts, file } = found;
  const { home, ports } = world;
  const previews = openPreviews({
    agents,
    channels,
    workspace: terminal.cwd,
    home,
    ...(ports === undefined ? {} : { ports }),
  });
  try {
    const places = await placeFiles(terminal.cwd, texts);
    const linted: LintedAgent[] = [];
    for (const agent of named === undefined ? agents : [named]) {
      linted.push(await lintAgent(previews, agent, Object.keys(channels), places));
    }
    return outcomeOf(linted, file, terminal);
  } finally {
    previews.close();
  }
}

async function lintAgent(
  previews: PromptPreviews,
  agent: Agent,
  channels: readonly string[],
  places: PlaceFiles,
): Promise<LintedAgent> {
  const { input, faults } = await probeAgent(previews, agent, channels);
  const findings = [
    ...faults.flatMap(fileFinding),
    ...lintPrompt(input).map((finding) => {
      const place = placeOf(finding, places);
      return { ...finding, ...(place === undefined ? {} : { place }) };
    }),
  ];
  const sections = input.contributors.filter(({ text }) => text !== undefined);
  const sum = (of: readonly LintedContributor[]) => of.reduce((total, { tokens }) => total + tokens, 0);
  return {
    agent: agent.name,
    findings,
    sections: sections.map(({ id, source, tags, tokens }) => ({ id, source, tags, tokens })),
    always: sum(sections.filter(({ tags }) => tags.length === 0)),
    all: sum(sections),
    budget: promptBudget(agent),
  };
}

/** A file that is left out says so itself: `.agents/prompts/style.md:3`. */
function fileFinding({ where, code, message }: Fault): readonly PlacedFinding[] {
  const [, file, line] = /^(.*):(\d+)$/.exec(where) ?? [];
  if (!code.startsWith("prompt-") || file === undefined) return [];
  const waits = code === "prompt-untrusted" || code === "prompt-changed";
  const [, what = message, fix = "correct it, then look again"] = /^(.*) \((.*)\); it is left out$/.exec(message) ?? [];
  return [
    {
      level: waits ? "warning" : "error",
      rule: waits ? "untrusted-file" : "broken-file",
      contributor: file,
      message: `it is left out: ${what.replace(/; it is left out$/, "")}`,
      fix,
      place: { file, line: Number(line) },
    },
  ];
}

async function placeFiles(cwd: string, ofConfig: ReadonlyMap<string, string>): Promise<PlaceFiles> {
  const texts = new Map(ofConfig);
  const files = new Map<string, string>();
  const { entries, root } = await listPrompts(await realpath(cwd));
  for (const entry of entries) {
    const read = await readPrompt(entry, root);
    if (read.kind !== "text" || "faults" in read.parsed) continue;
    texts.set(entry.name, read.text);
    files.set(read.parsed.contributor.id, entry.name);
  }
  return { texts, fileOf: (contributor) => files.get(contributor) };
}

function outcomeOf(linted: readonly LintedAgent[], file: string | undefined, terminal: Terminal): Outcome {
  const { paint } = terminal;
  const levels = linted.flatMap(({ findings }) => findings.map(({ level }) => level));
  const [errors, warnings] = (["error", "warning"] as const).map(
    (level) => levels.filter((one) => one === level).length,
  );
  const result = { ...(file === undefined ? {} : { file }), agents: linted };
  const told = linted.map((one) => renderLint(one, terminal)).join("\n");
  const next = [
    {
      command: `conduct prompt preview --agent ${linted[0]?.agent ?? "demo"}`,
      description: "See a prompt line by line",
    },
  ];
  const also = warnings === 0 ? "" : `, ${plural(warnings ?? 0, "warning")}`;
  if (errors === 0 || errors === undefined) {
    const done = `✓ ${plural(linted.length, "agent")}, no errors${also}`;
    return { ok: true, result, text: `\n${told}\n  ${paint("green", done)}\n\n`, next };
  }
  const message = `${plural(errors, "error")}${also}`;
  const text = `\n${told}\n  ${paint("red", `✗ ${message}`)}\n\n`;
  return { ok: false, code: "PROMPT_ERRORS", message, fix: "correct what the errors name", result, text, next };
}
