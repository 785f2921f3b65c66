import type { KitOutcome, KitRequest } from "./driver.ts";

/** The runtime's behaviour does not match the scenario. */
export class KitFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KitFailure";
  }
}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new KitFailure(message);
}

/** The result text of a call in the first model request that has it. Fails if there is none. */
export function resultOf(outcome: KitOutcome, callId: string): string {
  for (const request of outcome.requests) {
    const result = request.results.find((one) => one.callId === callId);
    if (result !== undefined) return result.text;
  }
  throw new KitFailure(`no model request carries a result of call '${callId}' (${outcome.requests.length} requests)`);
}

/** Fails unless `text` contains `part`, and shows the actual text. */
export function checkContains(text: string, part: string, what: string): void {
  const shown = JSON.stringify(text.slice(0, 600));
  check(text.includes(part), `${what} should contain ${JSON.stringify(part)}, and is ${shown}`);
}

export function checkLacks(text: string, part: string, what: string): void {
  const shown = JSON.stringify(text.slice(0, 600));
  check(!text.includes(part), `${what} must not contain ${JSON.stringify(part)}, and is ${shown}`);
}

export function decisionsOn(outcome: KitOutcome, callId: string): readonly string[] {
  return outcome.events.flatMap((event) =>
    event.type === "call" && event.call.id === callId ? [event.decision.kind] : [],
  );
}

/** The answers to a run's stops, in order. */
export function stops(outcome: KitOutcome): readonly string[] {
  return outcome.events.flatMap((event) => (event.type === "stop" ? [event.status] : []));
}

export function checkStops(outcome: KitOutcome, wanted: string): void {
  check(stops(outcome).join() === wanted, `stops were: ${stops(outcome).join()}`);
}

/**
 * The texts for the agent in a turn's first request: the newest prompt, if the runtime leaves old ones in the
 * conversation, and the context sent with the message.
 */
export function toldIn({ system, lastUserText }: KitRequest): string {
  return `${system.slice(Math.max(0, system.lastIndexOf("## Identity")))}\n\n${lastUserText}`;
}
