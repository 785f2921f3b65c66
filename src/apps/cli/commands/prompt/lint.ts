import { realpath } from "node:fs/promises";
import type { BehaviorDirective } from "../../../../base/words/contract.ts";
import type { Fault } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { ContributorTag } from "../../../../base/words/prompt.ts";
import {
  type LintedContributor,
  type LintFinding,
  type LintInput,
  lintPrompt,
} from "../../../../behavior/prompt/lint/lint-prompt.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { openPreviews, promptBudget } from "../../../../edge/host/workspace/preview-prompt.ts";
import { probeAgent } from "../../../../edge/host/workspace/preview-prompt-probes.ts";
import { listPrompts, readPrompt } from "../../../../edge/host/workspace/workspace-prompts-read.ts";
import type { ConfigFault } from "../../../../engine/agent/config/config-source.ts";
import type { PairAsker } from "../../../import/model-pairs.ts";
import { clip, count, hang, oneLine, plural, quoted, wrap } from "../../../shared/printable.ts";
import type { PromptLintArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, failed, type Outcome } from "../../line/outcome.ts";
import type { Style, Terminal } from "../../line/terminal.ts";
import { configHere, pluginsHere } from "../../stores/config-here.ts";
import { modelProblems } from "../config/model-faults.ts";
import { askAboutSources, type LintModel, modelLine, modelToAsk } from "./lint-model.ts";
import { directivesHere, findingOf, type LintedSources, lintSources } from "./lint-sources.ts";
import { chosenAgent, type PromptWorld } from "./preview.ts";
import { barOf, type PromptLayout, SOURCE_STYLES } from "./render.ts";

const MARKS = {
  error: ["✗", "red"],
  warning: ["!", "amber"],
  hint: ["·", "dim"],
} as const satisfies { readonly [level: string]: readonly [string, Style] };

export function renderLint(linted: LintedAgent, layout: PromptLayout): string {
  const { paint } = layout;
  const findings = linted.findings.map((finding) => renderFinding(finding, layout));
  return [`  ${paint("bold", oneLine(linted.agent))}`, "", ...findings, renderCosts(linted, layout)].join("\n");
}

export function renderFinding(finding: PlacedFinding, { columns, paint }: PromptLayout): string {
  const [mark, style] = MARKS[finding.level];
  const { place, quote, other } = finding;
  const name = finding.contributor === place?.file ? "" : `  ${paint("bold", oneLine(finding.contributor))}`;
  const where = place === undefined ? "" : `  ${paint("dim", oneLine(`${place.file}:${place.line}`))}`;
  const head = `  ${paint(style, `${mark} ${finding.rule}`)}${name}${where}`;
  const inside = (text: string) => wrap(text, columns - 6).map((line) => `    ${line}`);
  const shown =
    quote === undefined || finding.message.includes(quote) ? [] : inside(`“${clip(oneLine(quote), 2 * columns)}”`);
  const said = inside(finding.message);
  const fix = hang(`    ${paint("dim", "->")} `, finding.fix, columns);
  return [head, ...(other === undefined ? said : [...shown, ...said]), ...fix, ""].join("\n");
}

function renderCosts({ sections, always, all, budget }: LintedAgent, { columns, paint }: PromptLayout): string {
  const bar = columns >= 100 ? 14 : 8;
  const rows = sections.map(({ id, source, tags, tokens }) => ({
    id: oneLine(id),
    source,
    when: oneLine(whenText(tags)),
    tokens,
  }));
  // Indent, tokens, share, and two columns between each.
  const room = columns - 2 - 6 - 6 - bar - 8;
  const when = Math.min(Math.max(13, ...rows.map((row) => row.when.length)), Math.floor(room * 0.6));
  const name = Math.min(Math.max(11, ...rows.map((row) => row.id.length)), room - when);
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const share = (tokens: number) => `${((100 * tokens) / budget).toFixed(1)} %`.padStart(6);
  const line = (cells: readonly string[]) => `  ${cells.join("  ")}`.trimEnd();
  const lines = rows.map(({ id, source, when: text, tokens }) =>
    line([
      paint(SOURCE_STYLES[source], clip(id, name).padEnd(name)),
      clip(text, when).padEnd(when),
      count(tokens).padStart(6),
      share(tokens),
      paint(SOURCE_STYLES[source], barOf(tokens / most, bar)),
    ]),
  );
  const total = (label: string, tokens: number) =>
    line([label.padEnd(name + when + 2), count(tokens).padStart(6), share(tokens)]);
  return [
    paint("dim", line(["contributor".padEnd(name), "when".padEnd(when), "tokens", ` of ${compact(budget)}`])),
    ...lines,
    total("every session", always),
    ...(all === always ? [] : [total("with every tag selected", all)]),
    "",
  ].join("\n");
}

function whenText(tags: readonly ContributorTag[]): string {
  return tags.length === 0 ? "every session" : tags.map(({ dimension, value }) => `${dimension}:${value}`).join(" or ");
}

/** `32k` of 32,000. */
function compact(tokens: number): string {
  return tokens >= 10_000 ? `${Math.round(tokens / 1_000)}k` : count(tokens);
}

/** A finding with its place; `rule` has more values, for skipped files and models. */
export type PlacedFinding = Omit<LintFinding, "rule"> & {
  readonly rule: LintFinding["rule"] | "untrusted-file" | "broken-file" | "model";
  readonly place?: Place;
  /** A model found it, not a check. */
  readonly by?: "model";
};

/** `directives`: those in force; without it, none are compared. `asker`: asks models in place of the file's. */
type LintWorld = PromptWorld & {
  directives?(): Promise<readonly BehaviorDirective[]>;
  readonly asker?: Omit<PairAsker, "model">;
};

type LintedAgent = ReturnType<typeof lintAgent>;

export async function promptLint(
  args: PromptLintArgs,
  terminal: Terminal,
  world: LintWorld = { home: conductHome(), now: () => 0, directives: directivesHere },
): Promise<Outcome> {
  const found = await configHere(args.config, terminal, world.home);
  if ("ok" in found) return found;
  const plugins = await pluginsHere(found, terminal, world.home);
  if ("ok" in plugins) return plugins;
  const named = args.agent === undefined ? undefined : chosenAgent(found, args.agent);
  if (named !== undefined && "message" in named) {
    const fix = `conduct prompt lint ${named.fix}`;
    return badArgument(named.message, fix, "UNKNOWN_AGENT");
  }
  const { agents, channels, loaded, config } = found;
  const { home, ports } = world;
  const model = modelToAsk(args.model, loaded?.parsed);
  if (typeof model === "object") return model;
  const previews = openPreviews({
    agents,
    channels,
    plugins: plugins.plugins.map(({ plugin }) => plugin),
    workspace: terminal.cwd,
    home,
    ports,
  });
  try {
    const places = await placeFiles(terminal.cwd, loaded?.texts ?? new Map());
    const linted: LintedAgent[] = [];
    const models = await modelProblems(loaded);
    const files = [
      ...models.faults.map((fault) => modelFinding(fault, "error")),
      ...models.warnings.map((fault) => modelFinding(fault, "warning")),
    ];
    const directives = (await world.directives?.()) ?? [];
    const sources: LintedSources[] = [];
    for (const agent of named === undefined ? agents : [named]) {
      const { input, faults } = await probeAgent(previews, agent, Object.keys(channels));
      const placeIn = (contributor: string, quote: string) => placeOf({ contributor, quote }, places);
      sources.push(await lintSources({ agent, input, placeOf: placeIn }, terminal.cwd, directives));
      linted.push(lintAgent(agent, input, places));
      // The files are the same for every agent, so their faults are added once.
      if (linted.length === 1) files.push(...faults.flatMap(fileFinding));
    }
    // Agents share most sources, so each pair is reported once.
    const all = sources.flatMap(({ pairs }) => pairs);
    const pairs = new Map(all.map((pair) => [JSON.stringify([pair.kind, pair.first.place, pair.second.place]), pair]));
    files.push(...[...pairs.values()].map((pair) => findingOf(pair)));
    const asked = model === undefined ? undefined : await askAboutSources(model, sources, loaded?.parsed, world.asker);
    const result = { files: [...files, ...(asked?.findings ?? [])], agents: linted, model: asked?.model };
    return { ...outcomeOf(result, terminal), config };
  } finally {
    previews.close();
  }
}

/** The findings in one agent's texts, and their cost: `always` in every session, `all` with every tag selected. */
function lintAgent(agent: Agent, input: LintInput, places: PlaceFiles) {
  const findings = lintPrompt(input).map((finding): PlacedFinding => ({ ...finding, place: placeOf(finding, places) }));
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

/** The fault of a skipped file names its place: `.agents/prompts/style.md:3`. */
function fileFinding({ where, code, message }: Fault): readonly PlacedFinding[] {
  const [, file, line] = /^(.*):(\d+)$/.exec(where) ?? [];
  if (!code.startsWith("prompt-") || file === undefined) return [];
  const waits = code === "prompt-untrusted" || code === "prompt-changed";
  const [, what = message, fix = "correct the file"] = /^(.*) \((.*)\); it is left out$/.exec(message) ?? [];
  return [
    {
      level: waits ? "warning" : "error",
      rule: waits ? "untrusted-file" : "broken-file",
      contributor: file,
      message: `left out: ${what.replace(/; it is left out$/, "")}`,
      fix,
      place: { file, line: Number(line) },
    },
  ];
}

/** A model of the file that cannot be asked: sessions would silently stay unclassified. */
function modelFinding({ file, line, message, hint }: ConfigFault, level: "error" | "warning"): PlacedFinding {
  const fix = hint ?? "set its key in the environment";
  return { level, rule: "model", contributor: file, message, fix, place: { file, line } };
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

type Linted = {
  readonly files: readonly PlacedFinding[];
  readonly agents: readonly LintedAgent[];
  readonly model?: LintModel | undefined;
};

function outcomeOf(result: Linted, terminal: Terminal): Outcome {
  const { paint } = terminal;
  const { files, agents, model } = result;
  const levels = [files, ...agents.map(({ findings }) => findings)].flat().map(({ level }) => level);
  const errors = levels.filter((level) => level === "error").length;
  const warnings = levels.filter((level) => level === "warning").length;
  const told = [
    ...files.map((finding) => renderFinding(finding, terminal)),
    ...agents.map((one) => renderLint(one, terminal)),
    ...(model === undefined ? [] : [`${hang("  ", modelLine(model), terminal.columns).join("\n")}\n`]),
  ].join("\n");
  const preview = `conduct prompt preview --agent ${quoted(agents[0]?.agent ?? "demo")}`;
  const next = [{ command: preview, description: "Show a prompt line by line" }];
  const also = warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
  if (errors === 0) {
    const sum = `✓ ${plural(agents.length, "agent")}, no errors${also}`;
    return done(result, `\n${told}\n  ${paint("green", sum)}\n\n`, next);
  }
  const message = `${plural(errors, "error")}${also}`;
  const text = `\n${told}\n  ${paint("red", `✗ ${message}`)}\n\n`;
  return failed("PROMPT_ERRORS", message, "correct the errors above", { result, text, next });
}

/** Where the quoted text of a finding is, if it can be found in the files. Lines count from 1. */
export type Place = { readonly file: string; readonly line: number };

/** The files that may contain a contributor's text, its own file first. */
export type PlaceFiles = {
  readonly texts: ReadonlyMap<string, string>;
  fileOf(contributor: string): string | undefined;
};

/**
 * The line with the quoted text: in the contributor's own file, else after the line with its id, else its first
 * occurrence. Without a quote, or if it spans lines, the line with the id.
 */
export function placeOf(
  { contributor, quote }: Pick<LintFinding, "contributor" | "quote">,
  { texts, fileOf }: PlaceFiles,
): Place | undefined {
  const own = fileOf(contributor);
  const files = own === undefined ? [...texts] : [...texts].filter(([file]) => file === own);
  const wanted = quote?.split("\n")[0]?.trim() ?? "";
  let named: Place | undefined;
  let quoted: Place | undefined;
  for (const [file, text] of files) {
    const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
    const id = lines.findIndex((line) =>
      new RegExp(`\\bid:\\s*['"]?${literal(contributor)}['"]?(?:[\\s,}]|$)`).test(line),
    );
    const from = Math.max(0, id);
    const after = wanted === "" ? -1 : lines.findIndex((line, at) => at >= from && line.includes(wanted));
    if (id >= 0) named ??= { file, line: id + 1 };
    if (after >= 0 && (quoted === undefined || id >= 0)) quoted = { file, line: after + 1 };
    if (id >= 0 && after >= 0) return quoted;
  }
  return quoted ?? named ?? (own === undefined ? undefined : { file: own, line: 1 });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
