import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Access, ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { PolicyContext } from "../../../base/words/policy.ts";
import type { PredicateInput } from "../../../base/words/rule.ts";
import { PROGRAMS } from "../../commands/programs/program-table.ts";

const FILE_ACCESS: ReadonlyMap<string, Access> = new Map([
  ["read_file", "read"],
  ["write_file", "write"],
  ["edit_file", "write"],
]);

/**
 * A call's arguments for one of its names. File actions see one path at a time: a patch of three files is three writes, and
 * `cat a > b` is a read of a and a write of b.
 */
export function viewsOf(call: ToolCall, name: string): readonly JsonObject[] {
  const effects = call.effects?.filter((effect) => effect.name === name) ?? [];
  if (effects.length > 0) return effects.flatMap(({ args }) => viewsOfEffect(call.args, args, name));
  const access = FILE_ACCESS.get(name);
  if (access === undefined) return [call.args];
  const paths = call.paths.filter((one) => one.access === access);
  const [first] = paths;
  // The common case needs no copy.
  if (first === undefined || (paths.length === 1 && first.path === call.args.path)) return [call.args];
  return [...new Set(paths.map(({ path }) => path))].map((path) => ({ ...call.args, path }));
}

/** One view for each path of an effect, so that rules can ask about `args.path`. */
function viewsOfEffect(line: JsonObject, args: JsonObject, effect: string): readonly JsonObject[] {
  const { paths } = args;
  const isEach = Array.isArray(paths) && paths.length > 0;
  const views = isEach ? paths.map((path) => ({ ...line, ...args, path })) : [{ ...line, ...args }];
  for (const view of views) effectOf.set(view, effect);
  return views;
}

/** The effect that a view is of. */
const effectOf = new WeakMap<JsonObject, string>();

/** A call's tool, actions and effects: what rules can be on. */
export function namesOf({ actions, effects }: Pick<ToolCall, "actions" | "effects">): readonly string[] {
  return effects === undefined ? actions : [...actions, ...new Set(effects.map(({ name }) => name))];
}

/** The values of some arguments as one key, with resolved paths; `undefined` if one is missing. */
export function tupleOf(view: JsonObject, names: readonly string[], facts: Facts, after?: Facts): string | undefined {
  if (names.length === 0) return NOTHING;
  const values: Json[] = [];
  for (const name of names) {
    const value = Object.hasOwn(view, name) ? view[name] : undefined;
    if (value === undefined || value === null) return undefined;
    values.push(resolved(value, facts, after));
  }
  return canonical(values);
}

/** The version of the view's file; `undefined` if there is none or it is unknown. */
export function versionOf(view: JsonObject, facts: Facts): string | undefined {
  const { path } = view;
  return typeof path === "string" ? facts.paths[path]?.version : undefined;
}

const NOTHING = "[]";

function resolved(value: Json, facts: Facts, after: Facts | undefined): Json {
  const fact = typeof value === "string" ? (facts.paths[value] ?? after?.paths[value]) : undefined;
  return fact === undefined ? value : { path: fact.resolved };
}

function canonical(values: readonly Json[]): string {
  // Most keys are one or two texts, which need no sorting.
  return values.every((value) => typeof value !== "object") ? JSON.stringify(values) : canonicalJson(values);
}

/** Absolute, in the home folder, or with a part that is `.`, `..` or empty: rules see such a path in another form. */
const UNPLAIN = /^[/~]|(?:^|\/)\.{0,2}\/|(?:^|\/)\.\.?$/;

/** The paths in the arguments that rules see in another form, and that are not looked up as files of the call. */
export function unplainPaths(call: ToolCall, views: readonly JsonObject[]): readonly string[] {
  const known = new Set(call.paths.map(({ path }) => path));
  const paths = views.map(({ path }) => path).filter((path) => typeof path === "string");
  return paths.filter((path) => UNPLAIN.test(path) && !known.has(path) && !/[$`\0]/.test(path));
}

/**
 * The arguments as rules see them: `args.path` is written from the workspace, however the call writes it. Outside, it is
 * absolute; a path of a command stays there as it is written.
 */
export function shownArgs(view: JsonObject, facts: Facts, policy: string): JsonObject {
  const { path } = view;
  if (typeof path !== "string") return view;
  const fact = facts.paths[path];
  const shown = fact === undefined ? gatheredOf(facts, policy, `shown:${path}`) : fact.shown;
  const isInside = fact?.inside ?? gatheredOf(facts, policy, `inside:${path}`) === true;
  return typeof shown !== "string" || (effectOf.has(view) && !isInside) ? view : { ...view, path: shown };
}

/** The call and session as predicates see them. `policy`: whose gathered facts are used besides the call's own. */
export function predicateInput(
  call: ToolCall,
  view: JsonObject,
  { session, facts }: Pick<PolicyContext, "session" | "facts">,
  policy: string,
): PredicateInput {
  const args = shownArgs(view, facts, policy);
  const written = (path: string) => (path === args.path ? String(view.path) : path);
  return {
    tool: call.tool,
    args,
    absent(name) {
      const effect = effectOf.get(view);
      return effect === undefined ? undefined : PROGRAMS.absentArgument(effect, name);
    },
    actions: call.actions,
    session: {
      turn: session.turn,
      channel: session.channel,
      user: session.user ?? "",
      agent: session.agent,
      elevated: session.modes.elevated,
      messages: (session.messages ?? []).join("\n"),
      topic: session.held?.topic,
      complexity: session.held?.complexity,
      domain: session.held?.domain,
      flags: session.held?.flags,
      custom: session.custom,
    },
    repo: repoFacts(facts, policy),
    isInside: (path) => facts.paths[written(path)]?.inside ?? truthOf(facts, policy, `inside:${written(path)}`),
    fileExists(path) {
      const gathered = truthOf(facts, policy, written(path));
      const fact = facts.paths[written(path)];
      // A folder is no file: it has no version.
      if (fact !== undefined) return fact.exists && fact.version !== undefined;
      return gathered;
    },
  };
}

const LITERAL = /^[^$`*?[\]{}]+$/;

/**
 * What a person's "always" covers: the same effects with the same arguments, on the same files. A command without named
 * files is only covered as it is written. Not offered if its text has a part that is only known when it runs.
 */
export function alwaysFor(
  { names }: { readonly names: readonly string[] },
  call: ToolCall,
  facts: Facts,
): { readonly key?: string } | undefined {
  const { command } = call.args;
  if (call.unclear !== undefined || (typeof command === "string" && /[$`]/.test(command))) return undefined;
  const fileOf = (path: Json): Json => resolved(path, facts, undefined);
  const effects = call.effects?.filter(({ name }) => names.includes(name)) ?? [];
  const covered = effects.map(({ name, args: { paths, ...args } }) => [name, args, Array.isArray(paths) ? paths : []]);
  const written = call.paths.filter(({ access, maybe }) => access !== "read" && maybe !== true).map(({ path }) => path);
  const files = effects.length === 0 ? [written] : covered.map(([, , paths]) => paths as readonly Json[]);
  if (files.some((paths) => paths.length === 0 || !paths.every((path) => LITERAL.test(String(path))))) return {};
  const parts = effects.length === 0 ? [[call.tool, {}, written]] : covered;
  return {
    key: canonicalJson(parts.map(([name, args, paths]) => [name, args, (paths as Json[]).map(fileOf)] as Json)),
  };
}

/** The key of the repository's facts among the facts that a policy gathered. */
export const REPO = "repo:";

function gatheredOf({ policies }: Facts, policy: string, key: string): Json | undefined {
  const own = policies[policy];
  return isObject(own) && Object.hasOwn(own, key) ? own[key] : undefined;
}

function truthOf(facts: Facts, policy: string, key: string): boolean | undefined {
  const found = gatheredOf(facts, policy, key);
  return typeof found === "boolean" ? found : undefined;
}

/** What rules see as `repo`. */
export function repoFacts(facts: Facts, policy: string): JsonObject {
  const found = gatheredOf(facts, policy, REPO);
  return isObject(found) ? found : {};
}
