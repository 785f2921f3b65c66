import type { CallLeaf, Condition } from "../../../base/words/rule.ts";
import type { Complaint, ConfigPath } from "../config/config-fault.ts";
import type { Placed } from "../config/merge-defaults.ts";
import type { ConditionConfig, ConditionMap } from "./rule-file-schema.ts";

/** A condition, its leaves with their places, and what is wrong with how they are put together. */
export type BuiltCondition = {
  readonly condition: Condition;
  readonly leaves: readonly PlacedLeaf[];
  readonly complaints: readonly Complaint[];
};

/** A leaf and where it stands; `pairs` are the places of its `same`, one by one. */
export type PlacedLeaf = Placed<CallLeaf> & { readonly pairs: readonly ConfigPath[] };

/** What a group says for all calls in it; the nearest one holds. */
type Inherited = Pick<ConditionMap, "fresh" | "within" | "since" | "counts">;

const OF_A_CALL = ["same", "where"] as const;

/** `path` is where it is written. */
export function buildCondition(written: ConditionConfig, path: ConfigPath, above: Inherited = {}): BuiltCondition {
  if (typeof written === "string") return leafOf({ call: written }, path, above);
  const { fresh, within, since, counts, all, any, not } = written;
  const own: Inherited = {
    ...above,
    ...(fresh === undefined ? {} : { fresh }),
    ...(within === undefined ? {} : { within }),
    ...(since === undefined ? {} : { since }),
    ...(counts === undefined ? {} : { counts }),
  };
  const strays = written.call === undefined ? strayKeys(written, path) : [];
  if (not !== undefined) {
    const below = buildCondition(not, [...path, "not"], own);
    return { ...below, condition: { kind: "not", of: below.condition }, complaints: [...strays, ...below.complaints] };
  }
  const kind = all === undefined ? "any" : "all";
  const group = all ?? any;
  if (group === undefined) return leafOf(written, path, own);
  const below = group.map((one, at) => buildCondition(one, [...path, kind, at], own));
  return {
    condition: { kind, of: below.map(({ condition }) => condition) },
    leaves: below.flatMap(({ leaves }) => leaves),
    complaints: [...strays, ...below.flatMap(({ complaints }) => complaints)],
  };
}

function leafOf({ call = "", same, where }: ConditionMap, path: ConfigPath, inherited: Inherited): BuiltCondition {
  const { fresh = false, within, since, counts = "succeeded" } = inherited;
  const pairs = Array.isArray(same) ? same.map((name: string) => [name, name] as const) : Object.entries(same ?? {});
  const leaf: CallLeaf = {
    kind: "call",
    call,
    same: pairs.map(([mine, theirs]) => ({ mine, theirs })),
    fresh,
    within,
    since,
    where,
    counts,
  };
  const empty = same !== undefined && pairs.length === 0;
  const complaints: readonly Complaint[] = empty
    ? [{ path: [...path, "same"], at: "value", message: "'same' must not be empty" }]
    : [];
  const placesOf = pairs.map(([mine], at) => [...path, "same", Array.isArray(same) ? at : mine]);
  return { condition: leaf, leaves: [{ value: leaf, path, pairs: placesOf }], complaints };
}

function strayKeys(written: ConditionMap, path: ConfigPath): readonly Complaint[] {
  return OF_A_CALL.filter((key) => written[key] !== undefined).map((key) => ({
    path: [...path, key],
    at: "key" as const,
    message: `'${key}' belongs to a call, not to a group of them`,
    hint: `write it at each call: { call: NAME, ${key}: … }`,
  }));
}
