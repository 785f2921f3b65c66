import type { ConductEvent } from "../../../base/words/event.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";

export type Update =
  | { readonly kind: "turn"; readonly turn: TurnRecord }
  | { readonly kind: "text"; readonly turn: string; readonly delta: string }
  /** A note shown to the person next to the answer. */
  | { readonly kind: "note"; readonly turn: string; readonly text: string }
  | { readonly kind: "event"; readonly event: ConductEvent }
  | { readonly kind: "approval"; readonly approval: PendingApproval };
