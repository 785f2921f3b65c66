import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Json } from "../../base/words/json.ts";

/** A result as it is kept until its step closes: what the agent was given, without pictures. */
export type KeptResult = {
  readonly outcome: "ok";
  readonly exitCode?: number;
  readonly parts: readonly (
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "json"; readonly value: Json }
  )[];
};

/** An ok result that proves nothing yet, because the model chose its siblings before it saw it. */
export type PendingProof = {
  readonly agent: string;
  readonly call: ToolCall;
  readonly result: KeptResult;
  readonly factsAtCall: Facts;
  readonly facts: Facts;
  readonly at: number;
};

/**
 * The step whose calls are being made, what will have been proven when it closes, and the steps that are over: a call that
 * names one of these was chosen before what has been proven since was seen.
 */
export type OpenStep = {
  readonly step: string | null;
  readonly proofs: readonly PendingProof[];
  readonly closed: readonly string[];
};

/** More results than this in one step prove nothing: a runtime that never closes a step must not fill the memory. */
export const MAX_PROOFS = 1_000;
const CLOSED_KEPT = 16;

export const openStepSlice = defineSlice<OpenStep>({
  name: "step",
  kind: "STATE",
  initial: { step: null, proofs: [], closed: [] },
});

/** The next step begins; the one that was open is over for good. */
export function nextStep({ step, closed }: OpenStep, next: string | null): OpenStep {
  const over = step === null || step === next ? closed : [...closed, step].slice(-CLOSED_KEPT);
  return { step: next, proofs: [], closed: over };
}
