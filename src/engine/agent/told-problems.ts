import type { Agent } from "../../base/words/agent.ts";
import { isReservedHeading } from "../../behavior/prompt/reserved/reserved-headings.ts";
import { MODEL, MODEL_FORM } from "./config-fields.ts";
import { contributorProblems } from "./contributor-problems.ts";
import type { AgentProblem } from "./define-agent.ts";
import { repeated } from "./repeated.ts";

/** Everything that is wrong with what an agent is told. */
export function toldProblems(agent: Agent): readonly AgentProblem[] {
  return [
    ...agent.sections
      .filter(({ heading }) => isReservedHeading(heading))
      .map(({ heading }) => ({ about: "agent" as const, name: agent.name, ...reservedProblem(heading) })),
    ...agent.contributors.flatMap((contributor) =>
      contributorProblems(contributor).map((problem) => ({
        about: "contributor" as const,
        name: contributor.id,
        ...problem,
      })),
    ),
    ...repeated(agent.contributors, ({ id }) => id).map((id) => ({
      about: "contributor" as const,
      name: id,
      at: ["id"],
      message: `two contributors have the id '${id}'`,
      hint: "give one of them another id; the defaults may have it already",
    })),
    ...settingProblems(agent).map((message) => ({ about: "agent" as const, name: agent.name, message })),
  ];
}

function reservedProblem(heading: string): Pick<AgentProblem, "message" | "hint"> {
  return {
    message: `the heading '${heading}' belongs to one of Conduct's own sections`,
    hint: "give the section another heading; identity and soul have keys of their own",
  };
}

/** What conduct.yaml would have refused by its form. */
function settingProblems({ model, prompt, sessionLabels, memory }: Agent): readonly string[] {
  const { budget, mode, layout } = prompt;
  const { every, wait } = sessionLabels ?? {};
  return [
    ...modelProblem("model", model),
    ...modelProblem("sessionLabels.model", sessionLabels?.model),
    ...(isPositive(budget) ? [] : [`prompt.budget must be a number of tokens above 0, and is ${budget}`]),
    ...(isPositive(every) ? [] : [`sessionLabels.every must be a number of turns above 0, and is ${every}`]),
    ...(wait === undefined || wait >= 0 ? [] : [`sessionLabels.wait must be milliseconds, and is ${wait}`]),
    ...notOneOf("prompt.mode", mode, ["full", "minimal", "none"]),
    ...notOneOf("prompt.layout", layout, ["cache", "priority"]),
    ...notOneOf("memory", memory, ["on-demand", "preload", "off"]),
  ];
}

function modelProblem(key: string, model: string | undefined): readonly string[] {
  return model === undefined || MODEL.test(model) ? [] : [`${key} ${MODEL_FORM}, not '${model}'`];
}

function notOneOf(key: string, value: string | undefined, known: readonly string[]): readonly string[] {
  return value === undefined || known.includes(value)
    ? []
    : [`${key} must be one of ${known.join(", ")}, not '${value}'`];
}

function isPositive(value: number | undefined): boolean {
  return value === undefined || (Number.isFinite(value) && value > 0);
}
