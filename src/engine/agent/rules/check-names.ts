import { globMatches } from "../../../base/kernel/glob.ts";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { ActionSpec, ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { Programs } from "../../../base/words/hosting/program.ts";
import { effectArguments } from "../../../behavior/commands/line-effects.ts";
import { VOCABULARY } from "../../tools/conduct-tool.ts";
import { undeclaredName } from "../config/config-checks.ts";
import type { Complaint, ConfigPath } from "../config/config-source.ts";
import type { BuiltRule, PlacedLeaf, RuleDraft } from "./build-rule.ts";

/** Effects of tools other than shells. */
const TOOL_EFFECTS = /^(?:database[.]|tests[.]weaken$|workspace[.])/;

const FILE_TOOLS = ["read_file", "write_file", "edit_file"];

/** Resolves the names that rules use: tools, actions, and facts that actions imply. */
export class RuleNames {
  readonly actions: { readonly [name: string]: ActionSpec };
  readonly callable: ReadonlySet<string>;
  /** Names that can be required. */
  readonly provable: ReadonlySet<string>;
  /** Facts and the actions that establish them. */
  readonly #facts = new Map<string, string[]>();
  readonly #matching = new Map<string, readonly string[]>();
  readonly #effects: ReadonlySet<string>;
  readonly #programs: Programs | undefined;
  readonly #ofEffects = new Map<string, readonly string[]>();
  readonly #tools: ReadonlyMap<string, ToolSpec>;

  /** `implies` of the actions must be closed transitively. */
  constructor(
    tools: readonly ToolSpec[],
    actions: { readonly [name: string]: ActionSpec },
    effects: ReadonlySet<string>,
    programs?: Programs,
  ) {
    this.#programs = programs;
    this.actions = actions;
    this.#effects = effects;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    for (const [name, { implies = [] }] of Object.entries(actions)) {
      for (const fact of implies) this.#facts.set(fact, [...(this.#facts.get(fact) ?? []), name]);
    }
    this.callable = new Set([...Object.keys(actions), ...this.#tools.keys(), ...VOCABULARY, ...effects]);
    this.provable = new Set([...this.callable, ...this.#facts.keys()]);
  }

  action(name: string): ActionSpec | undefined {
    return Object.hasOwn(this.actions, name) ? this.actions[name] : undefined;
  }

  tool(name: string): ToolSpec | undefined {
    return this.#tools.get(name);
  }

  /** Declared, in the common vocabulary, or of a server (only the server knows its tools). */
  isTool(name: string): boolean {
    return this.#tools.has(name) || (VOCABULARY as readonly string[]).includes(name) || name.includes("/");
  }

  isFact(name: string): boolean {
    return this.#facts.has(name) && !this.#effects.has(name);
  }

  /** Actions that establish the fact. */
  establishing(fact: string): readonly string[] {
    return this.#facts.get(fact) ?? [];
  }

  /** Known names that match a name or glob of `on`; a plain name always matches itself. */
  matching(pattern: string): readonly string[] {
    if (!pattern.includes("*")) return [pattern];
    const known = this.#matching.get(pattern) ?? [...this.callable].filter((name) => globMatches(pattern, name));
    this.#matching.set(pattern, known);
    return known;
  }

  /** The tools that a name stands for. */
  toolsOf(name: string): readonly string[] {
    const action = this.action(name);
    const own = action !== undefined ? [action.tool] : this.isFact(name) && !this.isTool(name) ? [] : [name];
    const implied = this.establishing(name).map((by) => this.action(by)?.tool ?? by);
    return [...new Set([...own, ...implied])];
  }

  /** The tool's arguments, where they are declared. */
  argumentsOf(tool: string): readonly string[] | undefined {
    const { args, paths } = this.#tools.get(tool) ?? {};
    return args === undefined ? undefined : [...new Set([...args, ...Object.keys(paths ?? {})])];
  }

  /** What a rule on these effects can ask about; `undefined` if calls of tools with other arguments may have them. */
  argumentsOfEffects(on: readonly string[]): readonly string[] | undefined {
    const effects = on.flatMap((name) => this.matching(name));
    const isOpen = (name: string) =>
      !this.#effects.has(name) ||
      TOOL_EFFECTS.test(name) ||
      this.establishing(name).some((by) => this.action(by)?.tool !== "shell");
    if (effects.length === 0 || effects.some(isOpen)) return undefined;
    const key = effects.join(" ");
    const known = this.#ofEffects.get(key) ?? [
      ...effectArguments(effects, this.#programs),
      ...(this.argumentsOf("shell") ?? []),
    ];
    this.#ofEffects.set(key, known);
    return known;
  }

  /** Arguments that name files; `undefined` when nothing declares them. */
  pathsOf(tool: string): readonly string[] | undefined {
    const { paths } = this.#tools.get(tool) ?? {};
    if (paths !== undefined) return Object.keys(paths);
    if (FILE_TOOLS.includes(tool)) return ["path"];
    return (VOCABULARY as readonly string[]).includes(tool) ? [] : undefined;
  }
}

/** A complaint about one file; a warning does not prevent use. */
export type Finding = { readonly draft: RuleDraft; readonly complaint: Complaint; readonly level: "fault" | "warning" };

/** Undeclared names: faults in a file that declares its tools, otherwise warnings. */
export function checkNames(
  drafts: readonly RuleDraft[],
  rules: readonly BuiltRule[],
  names: RuleNames,
  strict: (draft: RuleDraft) => boolean,
): readonly Finding[] {
  const written = new Set(drafts.flatMap((draft) => draft.written));
  const doubt = (draft: RuleDraft, name: string, path: ConfigPath, what: string, known: ReadonlySet<string>) => {
    if (known.has(name) || names.isTool(name) || written.has(name)) return [];
    const level: Finding["level"] = strict(draft) ? "fault" : "warning";
    return [{ draft, complaint: undeclaredName(name, path, what, known), level }];
  };
  const tools = new Set([...names.callable].filter((name) => names.isTool(name)));
  return [
    ...drafts.flatMap((draft) =>
      draft.actions.flatMap(({ name, value, path }) => [
        ...takenNames(draft, name, path, names),
        // The agent's own actions are checked with the rest of its file.
        ...(draft.own ? [] : doubt(draft, value.tool, [...path, "tool"], "tool", tools)),
      ]),
    ),
    ...rules.flatMap(({ value: rule, draft, onPath, leaves }) => [
      ...rule.on.flatMap((name, at): readonly Finding[] => {
        const path = [...onPath, at];
        if (!name.includes("*")) {
          const fact = calledFact(draft, name, path, names);
          return fact.length > 0 ? fact : doubt(draft, name, path, "tool or action", names.callable);
        }
        if (names.matching(name).length > 0 || name.includes("/")) return [];
        const message = `'${name}' matches no declared tool or action`;
        return [{ draft, complaint: { path, message }, level: "warning" }];
      }),
      ...leaves.flatMap(({ value: { call, since }, path }) => [
        ...doubt(draft, call, [...path, "call"], "tool, action or fact", names.provable),
        ...(since === undefined ? [] : doubt(draft, since, [...path, "since"], "tool, action or fact", names.provable)),
      ]),
    ]),
  ];
}

function takenNames(draft: RuleDraft, name: string, path: ConfigPath, names: RuleNames): readonly Finding[] {
  if (!names.isTool(name) || draft.own) return [];
  const message = name.includes("/") ? `'${name}' is the name of an MCP server's tool` : `'${name}' is a tool already`;
  const complaint: Complaint = { path, at: "key", message, hint: "give the action another name" };
  return [{ draft, complaint, level: "fault" }];
}

function calledFact(draft: RuleDraft, name: string, path: ConfigPath, names: RuleNames): readonly Finding[] {
  if (!names.isFact(name) || names.isTool(name) || names.action(name) !== undefined) return [];
  const message = `'${name}' is a fact, and facts cannot be called`;
  const hint = `use an action that establishes it: ${names.establishing(name).join(", ")}`;
  return [{ draft, complaint: { path, message, hint }, level: "fault" }];
}

type Use = { readonly argument: string; readonly path: ConfigPath; readonly at?: "key" };

/** Undeclared arguments, and `fresh` without a file. */
export function checkArguments(rules: readonly BuiltRule[], names: RuleNames): readonly Finding[] {
  return rules.flatMap((built) => {
    const { value: rule, draft, path, leaves } = built;
    const targets = targetsOf(built, names);
    const own: readonly Use[] = [
      ...leaves.flatMap((leaf) =>
        leaf.value.same.map(({ mine }, at) => ({
          argument: mine,
          path: leaf.pairs[at] ?? leaf.path,
          at: "key" as const,
        })),
      ),
      ...(rule.atMost?.per ?? []).map((argument, at) => ({ argument, path: [...path, "atMost", "per", at] })),
      ...Object.keys(rule.set ?? {}).map((argument) => ({
        argument,
        path: [...path, "set", argument],
        at: "key" as const,
      })),
    ];
    return [
      ...own.flatMap((use) => undeclared(use, targets, names, draft, "fault")),
      ...saidArguments(built).flatMap((use) => undeclared(use, targets, names, draft, "warning")),
      ...leaves.flatMap((leaf) => theirArguments(leaf, names, draft)),
      ...leaves.flatMap((leaf) => freshness(leaf, names, draft)),
    ];
  });
}

/** Known tools whose calls the rule applies to. */
export function targetsOf({ value: { on } }: BuiltRule, names: RuleNames): readonly string[] {
  return [...new Set(on.flatMap((pattern) => names.matching(pattern)).flatMap((name) => names.toolsOf(name)))];
}

/** A command pattern needs a tool with a `command` argument. */
export function checkCommands(drafts: readonly RuleDraft[], names: RuleNames): readonly Finding[] {
  return drafts.flatMap((draft) =>
    draft.actions
      .filter(({ value }) => value.command !== undefined)
      .flatMap(({ value, path }) =>
        undeclared({ argument: "command", path: [...path, "command"], at: "key" }, [value.tool], names, draft, "fault"),
      ),
  );
}

function theirArguments({ value, path, pairs }: PlacedLeaf, names: RuleNames, draft: RuleDraft): readonly Finding[] {
  const tools = names.toolsOf(value.call);
  return value.same.flatMap(({ theirs }, at) =>
    undeclared({ argument: theirs, path: pairs[at] ?? path }, tools, names, draft, "fault"),
  );
}

function saidArguments({ value: { say = "" }, path, draft }: BuiltRule): readonly Use[] {
  const key = draft.rules.find((placed) => placed.path === path)?.value.say === undefined ? "blockMessage" : "say";
  return [...say.matchAll(/\{\{\s*args\.([\w-]+)\s*\}\}/g)].map(([, argument = ""]) => ({
    argument,
    path: [...path, key],
  }));
}

/** Reported once, for the first tool that lacks the argument. */
export function undeclared(
  { argument, path, at }: Use,
  tools: readonly string[],
  names: RuleNames,
  draft: RuleDraft,
  level: Finding["level"],
): readonly Finding[] {
  for (const tool of tools) {
    const known = names.argumentsOf(tool);
    if (known === undefined || known.includes(argument)) continue;
    const has = known.length === 0 ? `'${tool}' takes no arguments` : `'${tool}' has: ${known.join(", ")}`;
    const hint = didYouMean(argument, known, has);
    return [{ draft, complaint: { path, at, message: `'${tool}' has no argument '${argument}'`, hint }, level }];
  }
  return [];
}

/** An argument that none of the effects can have, so that the expression never applies. */
export function unknownToEffects(
  argument: string,
  path: ConfigPath,
  on: readonly string[],
  names: RuleNames,
  draft: RuleDraft,
): readonly Finding[] {
  const known = names.argumentsOfEffects(on);
  if (known === undefined || known.includes(argument)) return [];
  const hint = didYouMean(argument, known, `known: ${known.join(", ")}`);
  const complaint = { path, message: `${on.join(", ")} has no argument '${argument}'`, hint };
  return [{ draft, complaint, level: "fault" }];
}

/** `fresh` needs an argument that names a file. */
function freshness({ value, path }: PlacedLeaf, names: RuleNames, draft: RuleDraft): readonly Finding[] {
  if (!value.fresh) return [];
  const finding = (message: string, hint: string, level: Finding["level"]): readonly Finding[] => {
    const complaint: Complaint = { path: [...path, "fresh"], at: "key", message, hint };
    return [{ draft, complaint, level }];
  };
  if (value.same.length === 0) {
    return finding("'fresh' needs a path in 'same'", "add the file's argument: same: { path: path }", "fault");
  }
  for (const tool of names.toolsOf(value.call)) {
    const paths = names.pathsOf(tool);
    if (paths === undefined) {
      const message = `'fresh' is never met, because it is not declared which argument of '${tool}' is a file path`;
      return finding(message, "declare the tool in conduct.yaml with paths: { ARGUMENT: read }", "warning");
    }
    if (value.same.some(({ theirs }) => paths.includes(theirs))) continue;
    const hint =
      paths.length === 0
        ? `'${tool}' has no file arguments`
        : `the file arguments of '${tool}' are: ${paths.join(", ")}`;
    return finding("'fresh' needs a path in 'same'", hint, "fault");
  }
  return [];
}
