import type { BehaviorDirective, Candidate, ContractEvent } from "../../base/words/contract.ts";
import type { ContractState } from "../../behavior/contract/contract-state.ts";
import { candidateAt } from "../../behavior/contract/fold-candidates.ts";
import { describeEvent } from "./behavior-describe-event.ts";
import { keyword, stamp } from "./behavior-render.ts";
import { oneLine } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** All that is known of a directive or a candidate; `events` are those that speak of it, the oldest first. */
type About = { readonly events: readonly ContractEvent[] } & (
  | { readonly directive: BehaviorDirective; readonly inForce: boolean }
  | { readonly candidate: Candidate }
);

/** `undefined` when nothing ever had that id. */
export function aboutId(
  id: string,
  state: ContractState,
  history: readonly ContractEvent[],
  now: number,
): About | undefined {
  const events = history.filter((event) => idsIn(event).includes(id));
  const candidate = state.candidates.get(id);
  if (candidate !== undefined) return { candidate: candidateAt(candidate, now), events };
  const directive = events.flatMap(directivesIn).find((one) => one.id === id);
  if (directive === undefined) return undefined;
  const inForce = [...state.scopes].some(([, scope]) => scope.directives.some((one) => one.id === id));
  return { directive, inForce, events };
}

/** Its origin, its evidence and what became of it. */
export function renderAbout(about: About, { paint }: Terminal): string {
  const one = "directive" in about ? about.directive : about.candidate;
  const rows: readonly (readonly [string, string])[] = [
    ["state", "directive" in about ? (about.inForce ? "in force" : "not in force") : about.candidate.status],
    ["scope", one.scope],
    ["since", stamp(one.createdAt)],
    ...(one.expiresAt === undefined ? [] : [["until", stamp(one.expiresAt)] as const]),
    ...("directive" in about ? originOf(about.directive) : []),
    ...(one.confidence === undefined ? [] : [["confidence", `${Math.round(one.confidence * 100)} %`] as const]),
    ...(one.evidence ?? []).map((evidence) => ["evidence", `“${evidence}”`] as const),
  ];
  return [
    `\n  ${paint("bold", oneLine(one.id))}  ${keyword(one.type, paint)} ${oneLine(one.text)}\n\n`,
    ...rows.map(([name, value]) => `    ${paint("dim", name.padEnd(10))}  ${oneLine(value)}\n`),
    "\n",
    ...about.events.map(
      (event) =>
        `    ${`v${event.seq}`.padEnd(6)}  ${paint("dim", stamp(event.at))}  ${oneLine(`${describeEvent(event)} · ${event.by}`)}\n`,
    ),
    "\n",
  ].join("");
}

function originOf({ source, message, candidate }: BehaviorDirective): readonly (readonly [string, string])[] {
  return [
    ["source", source],
    ...(message === undefined ? [] : [["message", `${message.id}, line ${message.line}`] as const]),
    ...(candidate === undefined ? [] : [["candidate", candidate] as const]),
  ];
}

function idsIn(event: ContractEvent): readonly string[] {
  if (event.kind === "candidate-proposed") return [event.candidate.id];
  if (event.kind === "candidates-expired") return event.ids;
  const named = [...("id" in event ? [event.id] : []), ...("of" in event ? [event.of] : [])];
  return [...named, ...directivesIn(event).map(({ id }) => id)];
}

function directivesIn(event: ContractEvent): readonly BehaviorDirective[] {
  switch (event.kind) {
    case "directive-added":
    case "candidate-promoted":
      return [event.directive, ...event.absorbed];
    case "directive-replaced":
      return [event.directive, event.removed, ...event.absorbed];
    case "directive-removed":
      return [event.directive];
    case "directives-expired":
      return event.directives;
    case "contract-applied":
      return event.dropped.map(({ directive }) => directive);
    case "contract-undone":
      return [...event.restored, ...event.dropped];
    default:
      return [];
  }
}
