import { z } from "zod";
import type { ActiveBehaviorContract, Candidate, ContractView } from "../../../../../base/words/contract.ts";
import { diffContracts, renderContract } from "../../../../../behavior/contract/active-contract.ts";
import {
  allDirectives,
  type ContractState,
  candidateAt,
  isOpen,
  versionsBySeq,
} from "../../../../../behavior/contract/contract-state.ts";
import type { ChangeRequest } from "../../../../../behavior/contract/decide/change-request.ts";
import { isOver } from "../../../../../behavior/contract/iso-time.ts";
import type { ContractService } from "../../../../../engine/governance/contract-service.ts";
import { REPAIR_COMMAND } from "../../../../../engine/governance/governance-health.ts";
import { digestItem } from "../../../../learning/digest/digest.ts";
import type { ApiContext } from "../../api-context.ts";
import { Problem } from "../../problem.ts";
import type { CandidateShown, ContractBlock } from "../../response-types.ts";
import { type Caller, route } from "../../route.ts";
import { dry, integer, list, OPERATOR, page, READ, searchText, typed } from "../../schemas.ts";

const view = z.object({ agent: z.string().optional(), channel: z.string().optional(), user: z.string().optional() });
const type = z.enum(["keep", "more", "less", "stop", "start"]);
const words = z.object({ type, text: z.string().max(2_000) });
const reason = z.string().max(500).optional();
/** How to measure adherence: `length: at most 120 words`. */
const check = z.string().max(500).optional();
const draft = words.extend({
  scope: z.string().max(200).optional(),
  expiresAt: z.string().max(40).optional(),
  check,
});
const changed = z.object({
  outcome: z.string(),
  dryRun: z.boolean(),
  contract: typed("ContractBlock"),
  room: typed("ContractUsage"),
  directive: typed("BehaviorDirective").optional(),
  candidate: typed("Candidate").optional(),
  events: list(typed("ContractEvent")),
  warnings: list(typed("ContractWarning")),
});

/** Fields that every route that changes the contract has. */
const changing = { roles: OPERATOR, query: dry, response: changed } as const;

export const contractRoutes = [
  route("GET /api/contract", {
    summary: "Show the contract in force for a view with its prompt text, and the directives of every scope",
    roles: READ,
    query: view.extend({ version: integer().optional() }),
    response: z.object({
      contract: typed("ContractBlock"),
      all: list(typed("BehaviorDirective")),
      room: typed("ContractUsage"),
    }),
    answer: async ({ query: { version, ...of } }, _caller, { contracts }) => {
      const state = await reliableState(contracts);
      const contract = await contractAt(contracts, version, of);
      return { contract: show(contract), all: allDirectives(state), room: await contracts.room(state, contract) };
    },
  }),
  route("GET /api/contract/history", {
    summary: "List the changes of the contract, newest first",
    roles: READ,
    query: page(500).extend({ search: searchText(200) }),
    response: z.object({ events: list(typed("ContractChangeShown")), next: z.number().optional() }),
    answer: async ({ query }, _caller, { contracts }) => {
      const events = await contracts.events(query);
      const all = await contracts.events({ limit: Number.POSITIVE_INFINITY });
      const versions = versionsBySeq(all.toReversed());
      const shown = events.map((event) => ({ ...event, version: versions.get(event.seq) }));
      return { events: shown, next: events.length === query.limit ? events.at(-1)?.seq : undefined };
    },
  }),
  route("GET /api/contract/diff", {
    summary: "Compare two versions of the contract",
    roles: READ,
    query: view.extend({ from: integer(), to: integer() }),
    response: z.object({
      from: typed("ContractBlock"),
      to: typed("ContractBlock"),
      same: z.boolean(),
      added: list(typed("BehaviorDirective")),
      removed: list(typed("BehaviorDirective")),
    }),
    answer: async ({ query: { from, to, ...of } }, _caller, { contracts }) => {
      const [a, b] = await Promise.all([contractAt(contracts, from, of), contractAt(contracts, to, of)]);
      return { ...diffContracts(a, b), from: show(a), to: show(b) };
    },
  }),
  route("POST /api/contract/directives", {
    ...changing,
    summary: "Add a directive; dryRun shows conflicts, duplicates, the limit and the prompt text without writing",
    body: draft,
    status: 201,
    answer: ({ body, query }, caller, api) => change(api, { kind: "add", ...body }, caller, query),
  }),
  route("PUT /api/contract/directives/{id}", {
    ...changing,
    summary: "Replace a directive",
    body: draft,
    answer: ({ params, body, query }, caller, api) =>
      change(api, { kind: "replace", id: params.id, ...body }, caller, query),
  }),
  route("DELETE /api/contract/directives/{id}", {
    ...changing,
    summary: "Remove a directive",
    query: dry.extend({ reason }),
    answer: ({ params, query }, caller, api) =>
      change(api, { kind: "remove", id: params.id, reason: query.reason }, caller, query),
  }),
  route("POST /api/contract/undo", {
    ...changing,
    summary: "Undo the newest change that is still in effect",
    body: z.object({ scope: z.string().optional() }),
    answer: ({ body, query }, caller, api) => change(api, { kind: "undo", scope: body.scope }, caller, query),
  }),
  route("GET /api/candidates", {
    summary: "List the review's proposals with their evidence and effect",
    roles: READ,
    query: z.object({ status: z.enum(["pending", "snoozed", "promoted", "rejected", "expired"]).optional() }),
    response: z.object({ candidates: list(typed("CandidateShown")) }),
    answer: async ({ query: { status } }, _caller, { contracts, clock }) => {
      const { candidates } = await reliableState(contracts);
      const now = clock.now();
      const found = [...candidates]
        .map(([, one]) => candidateNow(one, now))
        .filter((one) => status === undefined || one.status === status)
        .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      return { candidates: found.map(showCandidate) };
    },
  }),
  route("POST /api/candidates/{id}/promote", {
    ...changing,
    summary: "Promote a candidate to a directive, with the wording of `as` if given",
    body: z.object({ as: words.optional() }),
    answer: ({ params, body, query }, caller, api) =>
      change(api, { kind: "promote", id: params.id, as: body.as }, caller, query),
  }),
  route("POST /api/candidates/{id}/reject", {
    summary: "Reject a candidate",
    roles: OPERATOR,
    body: z.object({ reason }),
    response: changed,
    answer: ({ params, body }, caller, api) =>
      change(api, { kind: "reject", id: params.id, reason: body.reason }, caller),
  }),
  route("POST /api/candidates/{id}/edit", {
    ...changing,
    summary: "Reword a candidate; it stays a candidate",
    body: words,
    answer: ({ params, body, query }, caller, api) =>
      change(api, { kind: "edit", id: params.id, ...body }, caller, query),
  }),
  route("POST /api/contract/directives/{id}/mark", {
    summary: "Mark a directive as helpful or harmful",
    roles: OPERATOR,
    body: z.object({ mark: z.enum(["helpful", "harmful"]), note: z.string().max(500).optional() }),
    response: changed,
    answer: ({ params, body }, caller, api) => change(api, { kind: "mark", id: params.id, ...body }, caller),
  }),
  route("PUT /api/contract/directives/{id}/check", {
    ...changing,
    summary: "Set the check that measures compliance with a directive; without one, compliance isn't measured",
    body: z.object({ check }),
    answer: ({ params, body, query }, caller, api) =>
      change(api, { kind: "check", id: params.id, check: body.check }, caller, query),
  }),
  route("POST /api/candidates/{id}/snooze", {
    summary: "Snooze a candidate until a time",
    roles: OPERATOR,
    body: z.object({ until: z.string().max(40) }),
    response: changed,
    answer: ({ params, body }, caller, api) =>
      change(api, { kind: "snooze", id: params.id, until: body.until }, caller),
  }),
];

async function change(
  { contracts }: ApiContext,
  request: ChangeRequest,
  caller: Caller,
  { dryRun = false }: z.output<typeof dry> = {},
) {
  const { outcome, contract, directive, candidate, warnings, state, events } = await decided(
    contracts,
    request,
    caller,
    dryRun,
  );
  const room = await contracts.room(state, contract);
  return { outcome, dryRun, contract: show(contract), room, directive, candidate, events, warnings };
}

/** Throws a `Problem` with the code of the CLI if the change is refused. */
export async function decided(contracts: ContractService, request: ChangeRequest, { user }: Caller, dryRun: boolean) {
  const decision = await contracts.change(request, user.id, { dryRun });
  if (decision.kind !== "refused") return decision;
  const { code, message, fix, next, against } = decision;
  const detail = { next: next.map(({ command }) => command), against };
  throw new Problem(code.endsWith("_NOT_FOUND") ? 404 : 409, code, message, fix, detail);
}

function contractAt(contracts: ContractService, version: number | undefined, of: ContractView) {
  return version === undefined ? contracts.contract(of) : contracts.at({ version }, of);
}

function show(contract: ActiveBehaviorContract): ContractBlock {
  return { ...contract, block: renderContract(contract) };
}

/** A candidate past its end is expired even if the journal has no entry for that yet. */
function candidateNow(stored: Candidate, now: number): Candidate {
  const one = candidateAt(stored, now);
  return isOpen(one) && isOver(one.expiresAt, now) ? { ...one, status: "expired" } : one;
}

function showCandidate(candidate: Candidate): CandidateShown {
  const { would, evidence: quotes } = digestItem(candidate);
  return { ...candidate, would, quotes };
}

/**
 * Returns the rules and the contract. Throws a `Problem` if the journal is too damaged to read them, and never returns
 * an empty list instead.
 */
export async function reliableState(service: Pick<ContractService, "state">): Promise<ContractState> {
  const state = await service.state();
  if (state.fault?.trust !== "none") return state;
  const message = `The governance journal is damaged, so the rules in force are unknown: ${state.fault.message}.`;
  throw new Problem(503, "GOVERNANCE_DAMAGED", message, `Run ${REPAIR_COMMAND} in your own terminal.`);
}
