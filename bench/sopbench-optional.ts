import type { Condition, Rule } from "../src/base/words/rule.ts";

/** Beyond so many arguments there is one rule only, and all of them have to be given. */
const MAX_NAMES = 6;

/**
 * The procedures compare nothing where a call leaves an argument out or empty; `same` is unmet then, and has no form that
 * says otherwise. So there is one rule for calls that give every argument, and one for each choice of those not given.
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

/** Of an object it is unknown, and then both rules bind: the one that compares more decides. */
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
