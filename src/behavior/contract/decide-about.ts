import type { ContractChange } from "../../base/words/contract.ts";
import type { ChangeRequest, Step } from "./change-request.ts";
import type { ContractState } from "./contract-state.ts";
import { findDirective } from "./decide-directive.ts";
import { parseCheck } from "./directive-check.ts";
import { listCommand } from "./next-commands.ts";
import { badCheck } from "./refusals.ts";

type Request<K extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: K }>;

const MAX_NOTE = 500;

/** What is said about a directive never changes what is told. */
export function decideMark(state: ContractState, { id, mark, note, evidence }: Request<"mark">): Step {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const shared = { kind: "accepted", outcome: "marked", scope: directive.scope, directive } as const;
  const shown = evidence?.slice(0, MAX_NOTE).toWellFormed();
  const counted = shown !== undefined && state.tallies.get(id)?.seen.includes(shown) === true;
  const said = note?.trim().slice(0, MAX_NOTE).toWellFormed();
  const change: ContractChange = {
    ...{ kind: "directive-marked", id, mark },
    ...(said === undefined || said === "" ? {} : { note: said }),
    ...(shown === undefined ? {} : { evidence: shown }),
  };
  return { ...shared, changes: counted ? [] : [change], warnings: [], next: [listCommand] };
}

export function decideCheck(state: ContractState, { id, check: written }: Request<"check">): Step {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const check = written === undefined ? null : parseCheck(written);
  if (check !== null && "wrong" in check) return badCheck(check.wrong);
  const { check: old, ...rest } = directive;
  const same = JSON.stringify(old ?? null) === JSON.stringify(check);
  const changes: readonly ContractChange[] = same ? [] : [{ kind: "directive-checked", id, check }];
  const now = check === null ? rest : { ...rest, check };
  const { scope } = directive;
  return { kind: "accepted", outcome: "checked", changes, scope, directive: now, warnings: [], next: [listCommand] };
}
