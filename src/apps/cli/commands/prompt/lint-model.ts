import type { EndpointConfig, ReviewConfig } from "../../../../engine/agent/config/config-schema.ts";
import type { SaidLine } from "../../../import/contradictions.ts";
import type { ModelAsked, PairAsker } from "../../../import/model-pairs.ts";
import { count, plural } from "../../../shared/printable.ts";
import { badArgument, type Failure } from "../../line/outcome.ts";
import type { PlacedFinding } from "./lint.ts";
import { findingOf, type LintedSources } from "./lint-sources.ts";

type Written = {
  readonly models: { readonly [name: string]: EndpointConfig };
  readonly review: ReviewConfig;
};

export type LintModel = ModelAsked & { readonly found: number };

/** The model of `--model`, else that of the review. `undefined`: none is configured, or `--model none`. */
export function modelToAsk(given: string | undefined, file: Written | undefined): string | undefined | Failure {
  if (given === "none") return undefined;
  if (given === undefined) return file?.review.model;
  if (/^[^\s/]+\/\S+$/.test(given)) return given;
  const [known = "provider/model"] = Object.keys(file?.models ?? {});
  return badArgument(`--model '${given}' is not of the form provider/model`, `conduct prompt lint --model ${known}`);
}

/** The pairs that only the model found. It is asked once, about the lines of all agents. */
export async function askAboutSources(
  model: string,
  sources: readonly LintedSources[],
  file: Written | undefined,
  asker?: Omit<PairAsker, "model">,
): Promise<{ readonly findings: readonly PlacedFinding[]; readonly model: LintModel }> {
  const { askForPairs } = await import("../../../import/model-pairs.ts");
  const lines = new Map<string, SaidLine & { readonly agents: Set<string> }>();
  for (const { agent, lines: read } of sources) {
    for (const line of read) {
      const key = JSON.stringify([line.place, line.text]);
      const known = lines.get(key) ?? { ...line, agents: new Set() };
      lines.set(key, known);
      known.agents.add(agent);
    }
  }
  const { pairs, asked } = await askForPairs({ ...(asker ?? (await askerOf(file))), model }, [...lines.values()]);
  const reported = new Set(sources.flatMap((one) => one.pairs.map(placesOf)));
  const findings: PlacedFinding[] = [];
  for (const pair of pairs) {
    const places = placesOf(pair);
    if (!reported.has(places)) findings.push(findingOf(pair, model));
    reported.add(places);
  }
  return { findings, model: { ...asked, found: findings.length } };
}

async function askerOf(file: Written | undefined): Promise<Omit<PairAsker, "model">> {
  const { modelOverrides, piModels } = await import("../../../../edge/host/node/pi-models.ts");
  return { models: piModels({ models: modelOverrides(file?.models ?? {}, process.env) }) };
}

/** The same for a pair in either order. */
function placesOf({ first, second }: LintedSources["pairs"][number]): string {
  return JSON.stringify([`${first.place} ${first.text}`, `${second.place} ${second.text}`].sort());
}

/** Which model was asked, about how much, and what came of it. */
export function modelLine({ name, sent, of, found, dropped, fault }: LintModel): string {
  if (sent === 0) return `${name} was not asked: fewer than two sources have lines to compare`;
  const lines =
    sent === of ? plural(sent, "line") : `${count(sent)} of ${plural(of, "line")} (the limit of a question)`;
  if (fault !== undefined) return `${name} was sent ${lines}, but gave no findings: ${fault}`;
  const left = dropped === 0 ? "" : `; ${plural(dropped, "pair")} of its answer left out`;
  return `${name} was sent ${lines} and found ${plural(found, "more pair")}${left}`;
}
