import { asList, asObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { isConductHook } from "../../../edge/adapters/shared/hooks/guarded-command.ts";

/** The hooks of a settings file with Conduct's own replaced by `ours`. Other hooks stay before ours. */
export function withHookGroups(hooks: JsonObject, ours: JsonObject): JsonObject {
  const entries: [string, Json][] = [];
  for (const event of new Set([...Object.keys(hooks), ...Object.keys(ours)])) {
    const groups = [...asList(hooks[event]).flatMap(withoutOurs), ...asList(ours[event])];
    if (groups.length > 0) entries.push([event, groups]);
  }
  return Object.fromEntries(entries);
}

function withoutOurs(group: Json): readonly Json[] {
  const hooks = asList(asObject(group).hooks);
  const theirs = hooks.filter((hook) => !isConductHook(asObject(hook).command));
  if (theirs.length === hooks.length) return [group];
  return theirs.length === 0 ? [] : [{ ...asObject(group), hooks: theirs }];
}

/** The events at which a hook of ours is missing or outdated, each as a sentence. */
export function missingHookGroups(hooks: JsonObject, ours: JsonObject): readonly string[] {
  const missing = Object.entries(ours).filter(([event, groups]) => {
    const found = asList(hooks[event]).map((group) => JSON.stringify(group));
    return !asList(groups).every((group) => found.includes(JSON.stringify(group)));
  });
  return missing.map(([event]) => `${event}: Conduct's hook is missing or outdated`);
}
