import { globMatches } from "../../../../base/kernel/glob.ts";
import type { ToolSpec } from "../../../../base/words/hosting/agent.ts";
import type { RuleAction } from "../../../../base/words/rule.ts";
import { VOCABULARY } from "../../config/vocabulary.ts";

const FILE_TOOLS = ["read_file", "write_file", "edit_file"];

/** Who is who among the names that rules use: tools, actions, and facts that actions imply. */
export class RuleNames {
  readonly actions: { readonly [name: string]: RuleAction };
  /** All names that can be called. */
  readonly callable: ReadonlySet<string>;
  /** All names that can be required. */
  readonly provable: ReadonlySet<string>;
  /** Every fact and the actions that establish it. */
  readonly #facts = new Map<string, string[]>();
  readonly #matching = new Map<string, readonly string[]>();
  readonly #tools: ReadonlyMap<string, ToolSpec>;

  /** `actions` with what they imply already closed. */
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

  /** Declared, or of the common vocabulary, or of a server, which alone knows its own tools. */
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

  /** What a name or glob of `on` stands for, among the names that are known; a name itself also when it is not. */
  matching(pattern: string): readonly string[] {
    if (!pattern.includes("*")) return [pattern];
    const known = this.#matching.get(pattern) ?? [...this.callable].filter((name) => globMatches(pattern, name));
    this.#matching.set(pattern, known);
    return known;
  }

  /** The tools whose calls a name stands for. */
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

  /** Arguments that name files; `undefined` where nobody has told. */
  pathsOf(tool: string): readonly string[] | undefined {
    const { paths } = this.#tools.get(tool) ?? {};
    if (paths !== undefined) return Object.keys(paths);
    if (FILE_TOOLS.includes(tool)) return ["path"];
    return (VOCABULARY as readonly string[]).includes(tool) ? [] : undefined;
  }
}
