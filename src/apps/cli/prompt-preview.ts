import { resolveZone, timeText } from "../../behavior/prompt/time-text.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import {
  openPreviews,
  type Preview,
  type PreviewRequest,
  type PreviewWorld,
  promptBudget,
} from "../../edge/host/preview-prompt.ts";
import type { Arguments, CommandBody } from "./command.ts";
import type { Outcome } from "./outcome.ts";
import { count, oneLine, plural, wrap } from "./printable.ts";
import { chosenAgent, promptAgents } from "./prompt-agents.ts";
import { renderPrompt } from "./prompt-render.ts";
import { renderLeftOut } from "./prompt-render-left.ts";
import { renderSections } from "./prompt-render-table.ts";
import { previewRequest } from "./prompt-request.ts";
import type { Terminal } from "./terminal.ts";

/** What the command needs of the world; a test gives its own. */
export type PromptWorld = Pick<PreviewWorld, "home" | "ports"> & { now(): number };

/** `conduct prompt preview --agent A [--user U] [--channel C] [--at ISO] [--classification JSON] …` */
export const promptPreview: CommandBody = (args, terminal) =>
  runPromptPreview(args, terminal, { home: conductHome(), now: () => Date.now() });

/** The prompt of a session as the options describe it; nothing is asked of a model, and nothing is kept. */
export async function runPromptPreview(args: Arguments, terminal: Terminal, world: PromptWorld): Promise<Outcome> {
  const found = await promptAgents(args, terminal);
  if ("outcome" in found) return found.outcome;
  const agent = chosenAgent(found, args.agent);
  if ("message" in agent) return wrong("UNKNOWN_AGENT", agent.message, agent.fix);
  const request = previewRequest(agent.name, args, world.now());
  if ("code" in request) return wrong(request.code, request.message, request.fix);
  const { home, ports } = world;
  const { agents, channels, file } = found;
  const previews = openPreviews({
    agents,
    channels,
    workspace: terminal.cwd,
    home,
    ports,
  });
  try {
    const preview = await previews.preview(request);
    const budget = promptBudget(agent);
    return {
      ok: true,
      result: resultOf(request, preview, budget, file),
      text: render(request, preview, budget, terminal),
      next: [
        { command: "conduct prompt lint", description: "What is wrong with these texts, and what they cost" },
        ...(preview.faults.some(({ code }) => code === "prompt-untrusted" || code === "prompt-changed")
          ? [{ command: "conduct trust", description: "Look at the files that were left out, and trust them" }]
          : []),
      ],
    };
  } finally {
    previews.close();
  }
}

function wrong(code: string, message: string, fix: string): Outcome {
  return { ok: false, code, message, fix: `conduct prompt preview ${fix}`, next: [], exitCode: 2 };
}

function resultOf(request: PreviewRequest, { prompt, trace, faults }: Preview, budget: number, file?: string) {
  const { at, zone, ...session } = request;
  return {
    file,
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
  const sum = `${plural(prompt.sections.length, "section")} · ${plural(prompt.tokens, "token")}, ${share} of the ${count(budget)} it may have`;
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
