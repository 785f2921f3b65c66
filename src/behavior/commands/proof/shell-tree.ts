import type { ShellRun } from "../shell/shell-line.ts";
import type { ShellCompound, ShellLink, ShellRedirect, ShellScope } from "../shell/shell-script.ts";

/** A part of a compound command: a condition, a branch or the body of a loop. */
export type Part = { readonly scope: ShellScope; readonly list: List };

/** A command or a compound command, with the substitutions in its words. */
export type Node = {
  readonly link: ShellLink;
  readonly redirects: readonly ShellRedirect[];
  readonly substitutions: readonly List[];
} & (
  | {
      readonly kind: "run";
      readonly run: ShellRun;
      /** What it runs in the shell itself: a function, the text of `eval`, the handler of `trap`. */
      readonly call?: List;
      readonly eval?: List;
      readonly handler?: List;
    }
  | { readonly kind: "group" | "subshell"; readonly list: List }
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "compound"; readonly compound: ShellCompound; readonly parts: Part[] }
  | { readonly kind: "other"; readonly list: List }
);

type Pipe = { readonly after: ShellLink["after"]; readonly negated: boolean; readonly nodes: Node[] };
export type Statement = { readonly background: boolean; readonly pipes: Pipe[] };
export type List = readonly Statement[];

/** The commands of a line as the shell runs them: of the line itself, and of each script that a command runs. */
export type ShellTree = {
  readonly line: List;
  readonly scripts: ReadonlyMap<ShellRun, List>;
  /** How often each function is defined. */
  readonly functions: ReadonlyMap<string, number>;
};

type Element = { readonly run: ShellRun } | { readonly run?: undefined; readonly scope: ShellScope };

export function shellTree(runs: readonly ShellRun[]): ShellTree {
  const elements = elementsOf(runs);
  const functions = new Map<string, number>();
  const hosts = new Set(runs.flatMap(({ host }) => host ?? []));
  const listOf = (key: object | undefined): List => statementsOf(nodesOf(elements.get(key) ?? [], listOf));
  const scripts = new Map([...hosts].map((host) => [host, listOf(host)]));
  for (const list of elements.values()) {
    for (const element of list) {
      const name = element.run === undefined ? element.scope.name : undefined;
      if (name !== undefined) functions.set(name, (functions.get(name) ?? 0) + 1);
    }
  }
  return { line: listOf(undefined), scripts, functions };
}

/** The elements of each list, in the order of the text. */
function elementsOf(runs: readonly ShellRun[]): ReadonlyMap<object | undefined, readonly Element[]> {
  const lists = new Map<object | undefined, Element[]>();
  const add = (key: object | undefined, element: Element) => {
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    list.push(element);
  };
  const seen = new Set<ShellScope>();
  const enter = (scope: ShellScope, host: ShellRun | undefined): void => {
    if (seen.has(scope)) return;
    seen.add(scope);
    if (scope.parent !== undefined) enter(scope.parent, host);
    add(scope.parent ?? host, { scope });
  };
  for (const run of runs) {
    if (run.scope !== undefined) enter(run.scope, run.host);
    add(run.scope ?? run.host, { run });
  }
  return lists;
}

/** A `case` none of whose branches has a command. */
const EMPTY_CASE: ShellCompound = { kind: "case", branches: 0, total: false };

function nodesOf(elements: readonly Element[], listOf: (key: object) => List): readonly Node[] {
  const nodes: Node[] = [];
  let substitutions: readonly List[] = [];
  let redirects: readonly ShellRedirect[] = [];
  const take = (link: ShellLink) => {
    const taken = { link, redirects, substitutions };
    substitutions = [];
    redirects = [];
    return taken;
  };
  for (const element of elements) {
    if (element.run !== undefined) {
      const { run } = element;
      redirects = [...redirects, ...run.redirects];
      if (run.keyword === undefined || run.source !== undefined) nodes.push({ ...take(run), kind: "run", run });
      else if (run.keyword === "case") nodes.push({ ...take(run), kind: "compound", compound: EMPTY_CASE, parts: [] });
      continue;
    }
    const { scope } = element;
    const { kind, compound, name } = scope;
    const before = nodes.at(-1);
    const list = listOf(scope);
    if (kind === "substitution") {
      substitutions = [...substitutions, list];
    } else if ((kind === "call" || kind === "eval" || kind === "handler") && before?.kind === "run") {
      nodes[nodes.length - 1] = { ...before, [kind]: list };
    } else if (compound !== undefined && before?.kind === "compound" && before.compound === compound) {
      before.parts.push({ scope, list });
    } else if (compound?.kind === "case" && before?.kind === "compound" && before.compound === EMPTY_CASE) {
      nodes[nodes.length - 1] = { ...before, compound, parts: [{ scope, list }] };
    } else if (compound !== undefined)
      nodes.push({ ...take(scope), kind: "compound", compound, parts: [{ scope, list }] });
    else if (kind === "group" || kind === "subshell") nodes.push({ ...take(scope), kind, list });
    else if (kind === "function" && name !== undefined) nodes.push({ ...take(scope), kind, name });
    else nodes.push({ ...take(scope), kind: "other", list });
  }
  return nodes;
}

function statementsOf(nodes: readonly Node[]): List {
  const statements: Statement[] = [];
  for (const node of nodes) {
    const { after, pipeline, negated, background } = node.link;
    const statement = statements.at(-1);
    const pipe = statement?.pipes.at(-1);
    if (pipeline.index > 0 && pipe !== undefined) pipe.nodes.push(node);
    else if ((after === "&&" || after === "||") && statement !== undefined)
      statement.pipes.push({ after, negated, nodes: [node] });
    else statements.push({ background, pipes: [{ after, negated, nodes: [node] }] });
  }
  return statements;
}
