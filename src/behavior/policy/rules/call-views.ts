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

/** The call and session as predicates see them. `policy`: whose gathered facts are used besides the call's own. */
export function predicateInput(
  call: ToolCall,
  view: JsonObject,
  { session, facts }: Pick<PolicyContext, "session" | "facts">,
  policy: string,
): PredicateInput {
  return {
    tool: call.tool,
    args: view,
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
    },
    fileExists(path) {
      const own = facts.policies[policy];
      const gathered = isObject(own) && Object.hasOwn(own, path) ? own[path] : undefined;
      const fact = facts.paths[path];
      // A folder is no file: it has no version.
      if (fact !== undefined) return fact.exists && fact.version !== undefined;
      return typeof gathered === "boolean" ? gathered : undefined;
    },
  };
}
