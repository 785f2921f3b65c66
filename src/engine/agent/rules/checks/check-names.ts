import { globMatches } from "../../../../base/kernel/glob.ts";
import type { ToolSpec } from "../../../../base/words/hosting/agent.ts";
import type { RuleAction } from "../../../../base/words/rule.ts";
import type { Complaint, ConfigPath } from "../../config/config-fault.ts";
import { undeclaredName } from "../../config/config-warnings.ts";
import { VOCABULARY } from "../../config/tool-vocabulary.ts";
import type { BuiltRule } from "../build-rule.ts";
import type { RuleDraft } from "../draft-rules.ts";

const FILE_TOOLS = ["read_file", "write_file", "edit_file"];

/** Resolves the names that rules use: tools, actions, and facts that actions imply. */
export class RuleNames {
  readonly actions: { readonly [name: string]: RuleAction };
  readonly callable: ReadonlySet<string>;
  /** Names that can be required. */
  readonly provable: ReadonlySet<string>;
  /** Facts and the actions that establish them. */
  readonly #facts = new Map<string, string[]>();
  readonly #matching = new Map<string, readonly string[]>();
  readonly #tools: ReadonlyMap<string, ToolSpec>;

  /** `implies` of the actions must be closed transitively. */
  constructor(tools: readonly ToolSpec[], actions: { readonly [name: string]: RuleAction }) {
    this.actions = actions;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    for (const [name, { implies = [] }] of Object.entries(actions)) {
      for (const fact of implies) this.#facts.set(fact, [...(this.#facts.get(fact) ?? []), name]);
    }
    this.callable = new Set([...Object.keys(actions), ...this.#tools.keys(), ...VOCABULARY]);
    this.provable = new Set([...this.callable, ...this.#facts.keys()]);
  }

  action(name: string): RuleAction | undefined {
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
    return this.#facts.has(name);
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
        const message = `'${name}' matches no tool or action that is declared`;
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
  const message = name.includes("/") ? `'${name}' is the name of a server's tool` : `'${name}' is a tool already`;
  const complaint: Complaint = { path, at: "key", message, hint: "give the action another name" };
  return [{ draft, complaint, level: "fault" }];
}

function calledFact(draft: RuleDraft, name: string, path: ConfigPath, names: RuleNames): readonly Finding[] {
  if (!names.isFact(name) || names.isTool(name) || names.action(name) !== undefined) return [];
  const message = `'${name}' is a fact: it is established, not called`;
  const hint = `name what establishes it: ${names.establishing(name).join(", ")}`;
  return [{ draft, complaint: { path, message, hint }, level: "fault" }];
}
