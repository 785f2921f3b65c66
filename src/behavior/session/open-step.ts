import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Json } from "../../base/words/json.ts";
import type { Slice } from "../../base/words/slice.ts";

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
  readonly call: ToolCall;
  readonly result: KeptResult;
  readonly factsAtCall: Facts;
  readonly facts: Facts;
  readonly at: number;
};

/** The step whose calls are being made, and what they will have proven when it closes. */
export type OpenStep = { readonly step: string | null; readonly proofs: readonly PendingProof[] };

export const openStepSlice: Slice<OpenStep> = { name: "step", kind: "STATE", initial: { step: null, proofs: [] } };
