import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ContractScope } from "../../../../base/words/contract.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { isScope } from "../../../../behavior/contract/scopes.ts";
import { agentScope } from "../count-seen.ts";
import { ownSentences } from "../cues/own-sentences.ts";
import { lookAt } from "../look.ts";
import { Said, type SaidMessage } from "../said.ts";
import type { ReviewWindow } from "../steps.ts";

/** The part of an event shown to the model, and the scope of a resulting directive, which the model never chooses. */
export type ShownEvent = {
  readonly session: string;
  readonly event: string;
  readonly kind: "operator" | "user" | "denied" | "asked" | "refused-stop";
  readonly text: string;
  readonly scope: ContractScope;
};

/**
 * People's own words and decisions against the agent. Left out: quoted, pasted or forwarded text, an operator's
 * directives, and everything written by the agent and its tools.
 */
export async function shownEvents(events: EventJournal, window: ReviewWindow): Promise<readonly ShownEvent[]> {
  const said = new Said(events);
  const decided: ShownEvent[] = [];
  for await (const { event } of lookAt(events, window, 0)) {
    said.see(event);
    const shown = shownDecision(event);
    if (shown !== undefined) decided.push(shown);
  }
  return [...(await said.messages()).flatMap(shownMessage), ...decided];
}

function shownMessage(message: SaidMessage): readonly ShownEvent[] {
  const { session, event, role, agent, user } = message;
  const own = ownSentences(message.text).filter(({ kind }) => kind === "sentence" || role === "user");
  if (own.length === 0) return [];
  const named = `user:${user ?? ""}`;
  const scope = role === "operator" ? "global" : isScope(named) ? named : agentScope(agent);
  return [{ session, event, kind: role, text: own.map(({ text }) => text).join("\n"), scope }];
}

function shownDecision(event: ConductEvent): ShownEvent | undefined {
  const { session, id, agent } = event;
  const shown = (kind: ShownEvent["kind"], text: string): ShownEvent => ({
    ...{ session, event: id, kind, text, scope: agentScope(agent) },
  });
  if (event.type === "stop" && event.status === "refused")
    return shown("refused-stop", event.feedback?.split("\n")[0] ?? "");
  if (event.type !== "call") return undefined;
  const { decision } = event;
  if (decision.kind === "deny") return shown("denied", decision.reason);
  return decision.kind === "ask" ? shown("asked", decision.question) : undefined;
}
