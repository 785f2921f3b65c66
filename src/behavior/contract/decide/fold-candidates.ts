import type { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Candidate, CandidateState, ContractEvent } from "../../../base/words/contract.ts";
import { isOver } from "../iso-time.ts";

type Candidates = PersistentMap<Candidate>;

/** The candidates after an event; a text when it speaks of one that is not there. */
export function foldCandidates(candidates: Candidates, event: ContractEvent): Candidates | string {
  switch (event.kind) {
    case "candidate-proposed":
      return candidates.has(event.candidate.id)
        ? `it proposes '${event.candidate.id}' again`
        : candidates.set(event.candidate.id, event.candidate);
    case "candidate-merged": {
      const { id, confidence, evidence, expiresAt } = event;
      return change(candidates, id, (candidate) => ({ ...candidate, confidence, evidence, expiresAt }));
    }
    case "candidate-edited": {
      const { id, type, text } = event;
      return change(candidates, id, (candidate) => withState({ ...candidate, type, text }, { status: "pending" }));
    }
    case "candidate-promoted":
      return settle(candidates, event.id, { status: "promoted", directive: event.directive.id });
    case "candidate-demoted":
      return settle(candidates, event.id, { status: "promoted", directive: event.directive.id });
    case "rule-added": {
      const { id, from = "" } = event.rule;
      return candidates.has(from) ? settle(candidates, from, { status: "promoted", directive: id }) : candidates;
    }
    case "candidate-covered":
      return settle(candidates, event.id, { status: "promoted", directive: event.of });
    case "candidate-blocked":
      return settle(candidates, event.id, { status: "pending", blocked: event.reason });
    case "candidate-rejected":
      return settle(candidates, event.id, { status: "rejected", reason: event.reason });
    case "candidate-snoozed": {
      const { id, until, expiresAt } = event;
      return change(candidates, id, (one) => withState({ ...one, expiresAt }, { status: "snoozed", until }));
    }
    case "candidates-expired":
      return event.ids.reduce<Candidates | string>(
        (all, id) => (typeof all === "string" ? all : settle(all, id, { status: "expired" })),
        candidates,
      );
    case "contract-undone":
      return reopen(candidates, event);
    default:
      return candidates;
  }
}

/** As it counts at a time: one that was put off is pending again when its time has come. */
export function candidateAt(candidate: Candidate, now: number): Candidate {
  return candidate.status === "snoozed" && isOver(candidate.until, now)
    ? withState(candidate, { status: "pending" })
    : candidate;
}

/** Can still be decided on. */
export function isOpen({ status }: Candidate): boolean {
  return status === "pending" || status === "snoozed";
}

/** A promotion that is taken back can be decided anew, while there is time. */
function reopen(
  candidates: Candidates,
  { dropped, restored, at }: Extract<ContractEvent, { readonly kind: "contract-undone" }>,
): Candidates {
  let next = candidates;
  const back = new Set(restored.map(({ id }) => id));
  const demoted = [...candidates].filter(([, one]) => one.demotes !== undefined && back.has(one.demotes));
  const promoted = dropped.map(({ id, candidate }) => ({ id, candidate }));
  for (const { id, candidate } of [
    ...promoted,
    ...demoted.map(([key, { demotes }]) => ({ id: demotes, candidate: key })),
  ]) {
    const before = candidate === undefined ? undefined : next.get(candidate);
    if (before?.status !== "promoted" || before.directive !== id) continue;
    next = next.set(before.id, withState(before, { status: isOver(before.expiresAt, at) ? "expired" : "pending" }));
  }
  return next;
}

function settle(candidates: Candidates, id: string, state: CandidateState): Candidates | string {
  return change(candidates, id, (candidate) => withState(candidate, state));
}

function change(candidates: Candidates, id: string, to: (candidate: Candidate) => Candidate): Candidates | string {
  const candidate = candidates.get(id);
  return candidate === undefined ? `there is no candidate '${id}'` : candidates.set(id, to(candidate));
}

function withState(candidate: Candidate, state: CandidateState): Candidate {
  const { id, type, text, scope, confidence, evidence, createdAt, expiresAt, origin, demotes } = candidate;
  return {
    ...{ id, type, text, scope, confidence, evidence, createdAt, expiresAt },
    ...(origin === undefined ? {} : { origin }),
    ...(demotes === undefined ? {} : { demotes }),
    ...state,
  };
}
