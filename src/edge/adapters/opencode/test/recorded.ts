import { readFileSync } from "node:fs";
import { asObject } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";

type Row = { readonly hook: string; readonly input: JsonObject; readonly output?: JsonObject };

/** Hook inputs of the real OpenCode, recorded by `compat/opencode/record.ts`. */
const rows: readonly Row[] = JSON.parse(readFileSync(new URL("../recorded/events.json", import.meta.url), "utf8"));

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`nothing recorded of ${what}`);
  return value;
}

function ofCall(hook: string, id: string): Row {
  return found(
    rows.find((row) => row.hook === hook && row.input.callID === id),
    `${hook} '${id}'`,
  );
}

/** A call as in `tool.execute.before`. */
export function called(id: string): { readonly tool: string; readonly args: unknown } {
  const { input, output } = ofCall("tool.execute.before", id);
  return { tool: String(input.tool), args: output?.args };
}

/** The result as in `tool.execute.after`. */
export function gave(id: string): { readonly tool: string; readonly output: JsonObject } {
  const { input, output } = ofCall("tool.execute.after", id);
  return { tool: String(input.tool), output: structuredClone(output ?? {}) };
}

/** The final state of a failed call. */
export function failed(id: string): JsonObject {
  return found(
    parts().find((part) => part.callID === id),
    `an error of '${id}'`,
  ).state as JsonObject;
}

export function finished(): JsonObject {
  return found(
    parts().find(({ type }) => type === "step-finish"),
    "a finished step",
  );
}

export function said(): JsonObject {
  return structuredClone(found(rows.find(({ hook }) => hook === "chat.message")?.output, "a message"));
}

export function params(agent: string): Row {
  return found(
    rows.find(({ hook, input }) => hook === "chat.params" && input.agent === agent),
    `the parameters of ${agent}`,
  );
}

function parts(): readonly JsonObject[] {
  return rows.map(({ input }) => asObject(asObject(input.properties).part));
}
