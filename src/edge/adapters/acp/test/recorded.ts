import { readFileSync } from "node:fs";
import { asObject, asString } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { mergeSeen, type ToolSeen } from "../translate.ts";

/** The real `opencode acp` 1.18.33 and a client, recorded by `compat/acp/record.ts`. `<` is the agent. */
const lines = readFileSync(new URL("../recorded/opencode-1.18.33.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

type Said = { readonly by: "agent" | "client"; readonly message: JsonObject };

export const recorded: readonly Said[] = lines.map((line) => ({
  by: line.startsWith("<") ? "agent" : "client",
  message: asObject(JSON.parse(line.slice(2))),
}));

/** Everything that the agent reported about a call before it asked permission, or until the call was over. */
export function seenCall(id: string, until: "asked" | "over"): ToolSeen {
  let seen: ToolSeen | undefined;
  for (const { message } of recorded) {
    const params = asObject(message.params);
    const isAsked = message.method === "session/request_permission";
    const told = asObject(isAsked ? params.toolCall : params.update);
    if (asString(told.toolCallId) !== id) continue;
    seen = mergeSeen(seen, told);
    if (isAsked && until === "asked") break;
  }
  if (seen === undefined) throw new Error(`nothing recorded of ${id}`);
  return seen;
}
