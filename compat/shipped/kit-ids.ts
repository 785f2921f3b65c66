import { isSameJson } from "../../src/base/kernel/canonical-json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { ScriptedCall } from "../../src/testing/test/model-server/index.ts";

/** The runtime's hooks give no call ids: Conduct's are replaced by those of the script, by name and input. */
export function withKitIds(events: readonly ConductEvent[], said: readonly ScriptedCall[]): readonly ConductEvent[] {
  const left = [...said];
  const ids = new Map<string, string>();
  const kitId = (id: string) => ids.get(id) ?? id;
  return events.map((event) => {
    if (event.type === "result") return { ...event, call: kitId(event.call) };
    if (event.type !== "call") return event;
    const { call } = event;
    if (!ids.has(call.id)) {
      const at = left.findIndex(
        ({ name, input }) => name === call.native?.name && isSameJson(input, call.native.input),
      );
      const [found] = at < 0 ? [] : left.splice(at, 1);
      ids.set(call.id, found?.id ?? call.id);
    }
    return { ...event, call: { ...call, id: kitId(call.id) } };
  });
}
