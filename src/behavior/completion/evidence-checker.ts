import { checkOptions, flag, names, optional, type ShapesOf } from "../../base/kernel/check-options.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";
import type { Evidence } from "../../base/words/session-view.ts";
import { incomplete, ok } from "./completion-result.ts";

type Proof = "ok" | "never" | "failed" | "unknown";

const SAY: readonly (readonly [Proof, string])[] = [
  ["never", "Not run in this session"],
  ["failed", "Failed the last time"],
  ["unknown", "Ended with an unknown outcome the last time"],
];

type EvidenceOptions = { readonly actions: readonly string[]; readonly latest?: boolean };
const KEYS: ShapesOf<EvidenceOptions> = { actions: names, latest: optional(flag) };

/** Done when every action has succeeded in this session, and, unless `latest` is false, has not failed since. */
export class EvidenceChecker implements CompletionChecker {
  readonly #actions: readonly string[];
  readonly #latest: boolean;

  constructor(options: EvidenceOptions) {
    checkOptions("EvidenceChecker", options, KEYS);
    const { actions, latest = true } = options;
    this.#actions = [...new Set(actions)];
    this.#latest = latest;
  }

  check({ session }: CompletionContext): CompletionResult {
    const proofs = this.#actions.map((action) => ({ action, proof: this.#proof(session.evidence(action)) }));
    const unproven = SAY.flatMap(([proof, say]) => {
      const actions = proofs.filter((item) => item.proof === proof).map((item) => item.action);
      return actions.length === 0 ? [] : [`${say}: ${actions.join(", ")}.`];
    });
    if (unproven.length === 0) return ok();
    return incomplete(`These must succeed before the work is done. ${unproven.join(" ")}`);
  }

  #proof(evidence: Evidence | undefined): Proof {
    if (evidence === undefined) return "never";
    if (evidence.ok > 0 && (!this.#latest || evidence.last === "ok")) return "ok";
    return evidence.last === "ok" ? "never" : evidence.last;
  }
}
