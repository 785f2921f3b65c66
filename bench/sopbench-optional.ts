import type { Condition, Rule } from "../src/base/words/rule.ts";

/** With more arguments there is only one rule, which requires all of them. */
const MAX_NAMES = 6;

/**
 * The procedures skip a comparison if a call omits an argument or leaves it empty, but `same` is unmet then. So this
 * creates one rule for calls with all arguments, and one for each set of missing ones.
 */
export function withAndWithout(
  tool: string,
  declared: readonly string[],
  requirement: (given: readonly string[]) => Condition | undefined,
): readonly Rule[] {
  const compared = requirement(declared);
  if (compared === undefined) return [];
  const names = [...new Set(namesIn(compared))];
  const choices = names.length > MAX_NAMES ? [[]] : subsets(names);
  return choices.flatMap((left): readonly Rule[] => {
    const given = names.filter((name) => !left.includes(name));
    const require = requirement(given);
    if (require === undefined) return [];
    const unless = given.length === 0 ? {} : { unless: given.map(isAbsent).join(" || ") };
    const when = left.length === 0 ? {} : { when: left.map((name) => `(${isAbsent(name)})`).join(" && ") };
    return [{ id: ["order", tool, ...left].join(":"), on: [tool], ...unless, ...when, require, effect: "deny" }];
  });
}

/** For an object the result is unknown, so both rules apply, and the one that compares more decides. */
function isAbsent(name: string): string {
  return `!has(args.${name}) || string(args.${name}) == ""`;
}

function namesIn(condition: Condition): readonly string[] {
  if (condition.kind === "call") return condition.same.map(({ mine }) => mine);
  return condition.kind === "not" ? namesIn(condition.of) : condition.of.flatMap(namesIn);
}

function subsets(names: readonly string[]): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = [[]];
  for (const name of names) all = [...all, ...all.map((some) => [...some, name])];
  return all;
}
