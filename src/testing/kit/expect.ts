import type { KitOutcome, KitRequest } from "./driver.ts";

/** What the runtime did is not what the scenario asks for. */
export class KitFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KitFailure";
  }
}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new KitFailure(message);
}

/** The text the model was given for a call, in the first request that has it. Fails when it never got one. */
export function resultOf(outcome: KitOutcome, callId: string): string {
  for (const request of outcome.requests) {
    const result = request.results.find((one) => one.callId === callId);
    if (result !== undefined) return result.text;
  }
  throw new KitFailure(`no model request carries a result of call '${callId}' (${outcome.requests.length} requests)`);
}

/** Fails unless the text is in there, and says what was there instead. */
export function checkContains(text: string, part: string, what: string): void {
  const shown = JSON.stringify(text.slice(0, 600));
  check(text.includes(part), `${what} should contain ${JSON.stringify(part)}, and is ${shown}`);
}

export function checkLacks(text: string, part: string, what: string): void {
  const shown = JSON.stringify(text.slice(0, 600));
  check(!text.includes(part), `${what} must not contain ${JSON.stringify(part)}, and is ${shown}`);
}

/** The decisions on a call, in order. */
export function decisionsOn(outcome: KitOutcome, callId: string): readonly string[] {
  return outcome.events.flatMap((event) =>
    event.type === "call" && event.call.id === callId ? [event.decision.kind] : [],
  );
}

/** How the stops of a run were answered, in order. */
export function stops(outcome: KitOutcome): readonly string[] {
  return outcome.events.flatMap((event) => (event.type === "stop" ? [event.status] : []));
}

export function checkStops(outcome: KitOutcome, wanted: string): void {
  check(stops(outcome).join() === wanted, `stops were: ${stops(outcome).join()}`);
}

/** Everything in a request that came after the system prompt: the bytes, so that no runtime's own wrapping hides it. */
export function lastRequest(outcome: KitOutcome): KitRequest {
  const last = outcome.requests.at(-1);
  check(last !== undefined, "the runtime sent no model request at all");
  return last;
}

/**
 * What the agent is told in the first request of a turn: where a runtime leaves old prompts in the conversation, the
 * newest one; and what goes beside the message.
 */
export function toldIn({ system, lastUserText }: KitRequest): string {
  return `${system.slice(Math.max(0, system.lastIndexOf("## Identity")))}\n\n${lastUserText}`;
}
