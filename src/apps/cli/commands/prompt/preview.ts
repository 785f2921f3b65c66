import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { PromptMode } from "../../../../base/words/prompt.ts";
import { resolveZone, timeText } from "../../../../behavior/prompt/time-text.ts";
import { readRuntimes } from "../../../../edge/host/opening/runtime-settings.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import {
  openPreviews,
  type Preview,
  type PreviewRequest,
  type PreviewWorld,
  promptBudget,
} from "../../../../edge/host/workspace/preview-prompt.ts";
import { parseClassification } from "../../../../edge/host/workspace/preview-prompt-classification.ts";
import { count, oneLine, plural, wrap } from "../../../shared/printable.ts";
import type { PromptPreviewArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type ConfigHere, configHere, pluginsHere } from "../../stores/config-here.ts";
import { renderLeftOut, renderPrompt, renderSections } from "./render.ts";

/** The named agent; without a name, the only one. */
export function chosenAgent(
  { agents, config: { file } }: ConfigHere,
  given: string | undefined,
): Agent | { readonly message: string; readonly fix: string } {
  const names = agents.map(({ name }) => name);
  const [first] = agents;
  if (given === undefined) {
    if (first !== undefined && (agents.length === 1 || file === undefined)) return first;
    return { message: `no agent given; ${file} has ${names.join(", ")}`, fix: `--agent ${names[0]}` };
  }
  const found = agents.find(({ name }) => name === given);
  if (found !== undefined) return found;
  const where = file === undefined ? "there is no conduct.yaml, only the built-in" : `${file} has`;
  const meant = nearest(given, names) ?? names[0];
  return { message: `no agent '${given}': ${where} ${names.join(", ")}`, fix: `--agent ${meant}` };
}

export type BadArgument = { readonly code: string; readonly message: string; readonly fix: string };

const MODES: readonly PromptMode[] = ["full", "minimal", "none"];
const EXAMPLE = `--classification '{"topic": "coding", "complexity": "simple", "domain": ["security"]}'`;

/** The session in the options, or the first invalid option. */
export function previewRequest(
  agent: string,
  args: PromptPreviewArgs,
  now: number,
  runtime = "pi",
): PreviewRequest | BadArgument {
  const at = readTime(args.at, now);
  if (typeof at !== "number") return at;
  const mode = readMode(args.mode);
  if (typeof mode === "object") return mode;
  const { classification: json, user, channel, zone } = args;
  const classification = json === undefined ? undefined : parseClassification(json);
  if (classification !== undefined && "fault" in classification) {
    return { code: "BAD_CLASSIFICATION", message: `--classification: ${classification.fault}`, fix: EXAMPLE };
  }
  const custom = args.custom
    ?.split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  return {
    agent,
    at,
    runtime: args.runtime ?? runtime,
    think: args.think === true,
    user,
    channel,
    zone,
    mode,
    classification,
    custom,
  };
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Defaults to UTC: the machine's own zone must not change the bytes. */
function readTime(text: string | undefined, now: number): number | BadArgument {
  if (text === undefined) return now;
  const match = ISO.exec(text);
  const at = match === null ? Number.NaN : Date.parse(text.includes("T") && match[1] === undefined ? `${text}Z` : text);
  if (Number.isFinite(at) && isReal(text)) return at;
  return { code: "BAD_TIME", message: `--at: '${text}' is not an ISO time`, fix: "--at 2026-03-06T09:05Z" };
}

/** Date.parse reads the 31st of February as the 3rd of March. */
function isReal(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

function readMode(text: string | undefined): PromptMode | BadArgument | undefined {
  if (text === undefined) return undefined;
  const mode = MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  const message = `--mode: '${text}' is not one of ${MODES.join(", ")}`;
  return { code: "BAD_MODE", message, fix: `--mode ${nearest(text, MODES) ?? MODES[0]}` };
}

export type PromptWorld = Pick<PreviewWorld, "home" | "ports"> & { now(): number };

/** Previews the prompt for a session with these options; calls no model and saves nothing. */
export async function promptPreview(
  args: PromptPreviewArgs,
  terminal: Terminal,
  world: PromptWorld = { home: conductHome(), now: () => Date.now() },
): Promise<Outcome> {
  const found = await configHere(args.config, terminal, world.home);
  if ("ok" in found) return found;
  const plugins = await pluginsHere(found, terminal, world.home);
  if ("ok" in plugins) return plugins;
  const agent = chosenAgent(found, args.agent);
  if ("message" in agent) return wrong("UNKNOWN_AGENT", agent.message, agent.fix);
  const [bound] = Object.keys(await readRuntimes(world.home));
  const request = previewRequest(agent.name, args, world.now(), bound);
  if ("code" in request) return wrong(request.code, request.message, request.fix);
  const { home, ports } = world;
  const { agents, channels, config } = found;
  const previews = openPreviews({
    agents,
    channels,
    plugins: plugins.plugins.map(({ plugin }) => plugin),
    workspace: terminal.cwd,
    home,
    ports,
  });
  try {
    const preview = await previews.preview(request);
    const budget = promptBudget(agent);
    const next = [
      { command: "conduct prompt lint", description: "Check these texts and their tokens" },
      ...(preview.faults.some(({ code }) => code === "prompt-untrusted" || code === "prompt-changed")
        ? [{ command: "conduct trust", description: "Review and trust the files that were left out" }]
        : []),
    ];
    return done(resultOf(request, preview, budget), render(request, preview, budget, terminal), next, config);
  } finally {
    previews.close();
  }
}

function wrong(code: string, message: string, fix: string): Outcome {
  return badArgument(message, `conduct prompt preview ${fix}`, code);
}

function resultOf(request: PreviewRequest, { prompt, trace, faults }: Preview, budget: number) {
  const { at, zone, ...session } = request;
  return {
    session: { ...session, at: new Date(at).toISOString(), zone: resolveZone(zone).zone },
    ...prompt,
    budget,
    trace,
    faults,
  };
}

function render(
  request: PreviewRequest,
  { prompt, trace, faults }: Preview,
  budget: number,
  terminal: Terminal,
): string {
  const { paint, columns } = terminal;
  const { zone } = resolveZone(request.zone);
  const { agent, channel = "cli", runtime, user, mode, custom = [], think, classification } = request;
  const facts = [
    channel,
    runtime,
    ...(user === undefined ? ["no user"] : [`user ${user}`]),
    timeText(request.at, zone),
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(think === true ? ["think"] : []),
    ...(custom.length === 0 ? [] : [`custom ${custom.join(", ")}`]),
  ];
  const about =
    classification === undefined
      ? "not classified (--classification)"
      : [classification.topic, classification.complexity, ...classification.domain, ...classification.flags].join(
          " · ",
        );
  const share = `${((100 * prompt.tokens) / budget).toFixed(1)} %`;
  const sum = `${plural(prompt.sections.length, "section")} · ${plural(prompt.tokens, "token")}, ${share} of the budget of ${count(budget)}`;
  const left = renderLeftOut({ trace, cuts: prompt.cuts, faults }, terminal);
  const head = wrap([agent, ...facts, about].map(oneLine).join(" · "), columns - 4);
  return [
    "",
    ...head.map((line, at) => `  ${at === 0 ? line.replace(agent, paint("bold", agent)) : line}`),
    "",
    renderPrompt(prompt, terminal),
    renderSections(prompt, terminal),
    `  ${sum}`,
    `  ${paint("dim", `hash ${prompt.hash} · prefix ${prompt.prefixHash}`)}`,
    "",
    ...(left === "" ? [] : [left]),
    "",
  ].join("\n");
}
