import type { ArgDef, ArgsDef, Arguments } from "./command.ts";

/**
 * The words of a command as values by name, positionals also in `_`; a text when they cannot be meant so. Options that nobody knows
 * are found before. A value may begin with a dash; after a lone `--` every word is a positional.
 */
export function parseArguments(words: readonly string[], defs: ArgsDef): Arguments | string {
  const args: Record<string, unknown> = Object.create(null);
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      positionals.push(...words.slice(at + 1));
      break;
    }
    const option = readOption(word, defs);
    if (option === undefined) {
      positionals.push(word);
      continue;
    }
    const { name, type, negated, given } = option;
    if (type === "string") {
      const value = given ?? words[++at];
      if (value === undefined) return `'--${name}' needs a value`;
      args[name] = value;
    } else {
      if (given !== undefined && given !== "true" && given !== "false")
        return `'--${name}' is yes or no, without a value`;
      args[name] = (given !== "false") !== negated;
    }
  }
  const left = [...positionals];
  for (const [name, def] of Object.entries(defs)) {
    if (def.type === "positional") args[name] = left.shift() ?? def.default;
  }
  return { ...args, _: positionals };
}

type Option = {
  readonly name: string;
  readonly type: Exclude<ArgDef["type"], "positional">;
  readonly negated: boolean;
  readonly given: string | undefined;
};

function readOption(word: string, defs: ArgsDef): Option | undefined {
  const [, spelled = "", given] = /^(--?[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  for (const [name, def] of Object.entries(defs)) {
    const spellings = spellingsOf(name, def);
    if (def.type !== "positional" && spellings.includes(spelled)) {
      return { name, type: def.type, negated: spelled === `--no-${name}`, given };
    }
  }
  return undefined;
}

/** How an option may be written. */
export function spellingsOf(name: string, def: ArgDef): readonly string[] {
  if (def.type === "positional") return [];
  if (def.type === "string") return [`--${name}`];
  return [`--${name}`, ...(def.alias === undefined ? [] : [`-${def.alias}`]), `--no-${name}`];
}
