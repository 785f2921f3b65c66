import type { ConductEvent, Moment } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";

export const MOMENTS: readonly Moment[] = ["message", "prompt", "call", "result", "stop"];

const LONGEST = 200;

/** An event with no more of its texts than a strip tells: many sessions are listed at once. */
export function briefOf(event: ConductEvent): ConductEvent {
  const { facts: _facts, ...rest } = event;
  switch (rest.type) {
    case "message": {
      const { notes: _notes, reply, ...message } = rest;
      return { ...message, text: cut(rest.text), ...(reply === undefined ? {} : { reply: cut(reply) }) };
    }
    case "call": {
      const { made: _made, ...call } = rest;
      const { id, tool, args, actions, proves } = rest.call;
      const native = { ...rest.call.native, input: {} };
      return { ...call, call: { id, tool, args: briefArgs(args), actions, proves, paths: [], native } };
    }
    default:
      return rest;
  }
}

function briefArgs(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => (typeof value === "string" ? [[name, cut(value)]] : [])),
  );
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
