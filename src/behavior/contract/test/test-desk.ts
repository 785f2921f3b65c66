import type { ContractEvent } from "../../../base/words/contract.ts";
import { CONTRACT_LIMITS, contractFor } from "../active-contract.ts";
import { type ContractState, EMPTY_CONTRACT } from "../contract-state.ts";
import type { ChangeContext, ChangeDecision, ChangeRequest } from "../decide/change-request.ts";
import { decideChange } from "../decide/decide-change.ts";
import { writeDirective } from "../parse/directive-form.ts";

export const T = Date.parse("2026-03-01T10:00:00.000Z");
export const DAY = 86_400_000;
export const iso = (ms: number) => new Date(ms).toISOString();

/** A contract that is written to: a journal, a clock and ids of its own. */
export class Desk {
  state: ContractState = EMPTY_CONTRACT;
  events: readonly ContractEvent[] = [];
  now = T;
  limits = CONTRACT_LIMITS;
  by = "op";
  /** Of the journal; others write to it too. */
  head = 0;
  #ids = 0;

  decide(request: ChangeRequest): ChangeDecision {
    const ids = { next: (prefix: string) => `${prefix}_${++this.#ids}` };
    const counter = { count: (text: string) => text.length };
    const context: ChangeContext = {
      now: this.now,
      by: this.by,
      head: Math.max(this.head, this.state.seq),
      ids,
      counter,
      limits: this.limits,
    };
    return decideChange(this.state, request, context);
  }

  send(request: ChangeRequest): ChangeDecision {
    const decision = this.decide(request);
    this.state = decision.state;
    this.events = [...this.events, ...decision.events];
    return decision;
  }

  add(written: string, more: Partial<Extract<ChangeRequest, { readonly kind: "add" }>> = {}) {
    return this.send({ kind: "add", ...read(written), ...more });
  }

  told(view = {}): readonly string[] {
    return contractFor(this.state, view, this.now).directives.map(writeDirective);
  }
}

export function read(written: string) {
  const [, keyword = "", text = ""] = /^(\w+): (.*)$/s.exec(written) ?? [];
  return { type: keyword.toLowerCase() as "keep", text };
}

export function codeOf(decision: ChangeDecision): string {
  return decision.kind === "refused" ? decision.code : decision.outcome;
}

export function accepted(decision: ChangeDecision) {
  if (decision.kind === "refused") throw new Error(decision.message);
  return decision;
}

export function commands({ next }: ChangeDecision): readonly string[] {
  return next.map(({ command }) => command);
}
