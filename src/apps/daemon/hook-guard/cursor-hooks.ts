import { asList, asObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { isConductHook } from "../../../edge/adapters/shared/hooks/guarded-command.ts";
import { withCursorHooks } from "../../install/hooks/cursor.ts";
import { readJson5Object, writeJson5 } from "../../install/json5/json5-file.ts";
import { missingHooks } from "./codex-settings.ts";
import type { GuardedKind } from "./guarded-file.ts";

/** `~/.cursor/hooks.json`, which is JSON with comments. A file that cannot be read is only reported. */
export const cursorHooksFile: GuardedKind = {
  has: (text) => Object.keys(oursIn(read(text))).length > 0,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const file = read(text);
    if (file === undefined) return "it is no longer valid JSON, so Cursor ignores it";
    if (file.version !== read(good)?.version) return "its version was changed, so Cursor ignores it";
    return missingHooks(file, oursIn(read(good)));
  },
  restore(text, good) {
    if (text === undefined) return good;
    const file = read(text);
    if (file === undefined) return undefined;
    const { version = 1 } = read(good) ?? {};
    return writeJson5(text, { ...file, version, hooks: withCursorHooks(file, oursIn(read(good))) });
  },
};

function oursIn(file: JsonObject | undefined): { readonly [event: string]: JsonObject[] } {
  const all = Object.entries(asObject(file?.hooks)).map(([event, hooks]) => {
    const ours = asList(hooks)
      .map(asObject)
      .filter(({ command }) => isConductHook(command));
    return [event, ours] as const;
  });
  return Object.fromEntries(all.filter(([, ours]) => ours.length > 0));
}

function read(text: string | undefined): JsonObject | undefined {
  const found = readJson5Object(text);
  return "value" in found ? found.value : undefined;
}
