import type { BehaviorDirective } from "../../../../base/words/contract.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { contractFor } from "../../../../behavior/contract/active-contract.ts";
import { rulesOfAgent } from "../../../../behavior/policy/rules/rules-policy.ts";
import type { LintInput } from "../../../../behavior/prompt/lint/lint-prompt.ts";
import {
  directiveLine,
  findContradictions,
  type LinePair,
  ruleLine,
  type SaidLine,
} from "../../../import/contradictions.ts";
import { findInstructionFiles, readInstructionFile } from "../../../import/instruction-files.ts";
import { readInstructions } from "../../../import/instruction-lines.ts";
import { done } from "../../line/outcome.ts";
import { thisMachine, withContract } from "../../stores/with-contract.ts";
import type { Place, PlacedFinding } from "./lint.ts";

/** The directives in force on this machine; none if the store cannot be read, because lint is about texts. */
export async function directivesHere(): Promise<readonly BehaviorDirective[]> {
  const world = thisMachine();
  let directives: readonly BehaviorDirective[] = [];
  await withContract(world, "read", async ({ service }) => {
    directives = contractFor(await service.state(), {}, world.clock.now()).directives;
    return done(undefined, "");
  });
  return directives;
}

/** Contributors whose lines are read from their files anyway, and skills, which are only listed. */
const READ_AS_FILE = /^imported:|^workspace:(?:.*\/)?AGENTS\.md$|^workspace:skill\//;

type Linted = {
  readonly agent: Agent;
  readonly input: LintInput;
  placeOf(contributor: string, quote: string): Place | undefined;
};

/** What one agent reads and obeys, and the pairs in it that are found without a model. */
export type LintedSources = {
  readonly agent: string;
  readonly lines: readonly SaidLine[];
  readonly pairs: readonly LinePair[];
};

/** Lines of different sources that contradict or repeat each other: instruction files, contributors, rules, directives. */
export async function lintSources(
  { agent, input, placeOf }: Linted,
  folder: string,
  directives: readonly BehaviorDirective[],
): Promise<LintedSources> {
  const texts = input.contributors.flatMap(({ id, source, text }) => {
    if (text === undefined || source === "builtin" || READ_AS_FILE.test(id)) return [];
    return statementsOf(text).map((said): SaidLine => {
      const place = placeOf(id, said.text);
      return {
        source: place?.file ?? id,
        place: place === undefined ? id : `${place.file}:${place.line}`,
        text: said.text,
      };
    });
  });
  const rules = rulesOfAgent(agent)
    .flatMap((set) => set.rules)
    .map((rule) => ({ ...rule, source: importedFrom(rule.say) ?? rule.place?.file ?? "code" }));
  const written = [...(await linesOfFiles(folder)), ...texts];
  return {
    agent: agent.name,
    lines: [...written, ...directives.map((one) => directiveLine(one)), ...rules.map(ruleLine)],
    pairs: findContradictions(written, rules, directives),
  };
}

/** A rule of `conduct import` belongs to the file that it came from. */
function importedFrom(say: string | undefined): string | undefined {
  return / \(([^()]+):\d+\)$/.exec(say ?? "")?.[1];
}

/** Files about one folder or one kind of files are not compared: both lines can be right. */
async function linesOfFiles(folder: string): Promise<readonly SaidLine[]> {
  const lines: SaidLine[] = [];
  for (const path of await findInstructionFiles(folder)) {
    const file = await readInstructionFile(path, folder);
    if ("code" in file || file.kind !== "text" || file.under !== "" || file.globs !== undefined) continue;
    lines.push(
      ...statementsOf(file.text).map(({ line, text }) => ({ source: file.name, place: `${file.name}:${line}`, text })),
    );
  }
  return lines;
}

function statementsOf(text: string) {
  return readInstructions(text).flatMap(({ units }) => units.flatMap(({ statements }) => statements));
}

/** `model`: the one that found the pair. */
export function findingOf({ kind, first, second, why }: LinePair, model?: string): PlacedFinding {
  const [, file, line] = /^(.*):(\d+)$/.exec(first.place) ?? [];
  const also = `${second.place}: ${JSON.stringify(second.text)}`;
  const isOpposed = kind === "contradiction";
  const reason = model !== undefined ? ` (${model}: ${why})` : isOpposed ? ` (${why})` : "";
  return {
    level: isOpposed ? "warning" : "hint",
    rule: isOpposed ? "contradiction" : "duplicate",
    contributor: file ?? first.place,
    other: second.place,
    quote: first.text,
    message: `${isOpposed ? "it contradicts" : "it repeats"} ${also}${reason}`,
    fix: isOpposed ? "keep the correct one" : "say it once",
    place: file === undefined ? undefined : { file, line: Number(line) },
    ...(model === undefined ? {} : { by: "model" as const }),
  };
}
