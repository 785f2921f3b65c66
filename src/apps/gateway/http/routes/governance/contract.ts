import { z } from "zod";
import type { Clock } from "../../../../../base/ports/clock.ts";
import type { ActiveBehaviorContract, Candidate, ContractView } from "../../../../../base/words/contract.ts";
import { diffContracts, renderContract } from "../../../../../behavior/contract/active-contract.ts";
import {
  allDirectives,
  type ContractState,
  candidateAt,
  isOpen,
} from "../../../../../behavior/contract/contract-state.ts";
import type { ChangeDecision, ChangeRequest } from "../../../../../behavior/contract/decide/change-request.ts";
import { isOver } from "../../../../../behavior/contract/iso-time.ts";
import type { ContractService } from "../../../../../engine/governance/contract-service.ts";
import { REPAIR_COMMAND } from "../../../../../engine/governance/governance-health.ts";
import { digestItem } from "../../../../learning/digest/digest.ts";
import { Problem } from "../../problem.ts";
import type { CandidateShown, ContractBlock } from "../../response-types.ts";
import type { RouteHandlers, RouteTable } from "../../route.ts";
import { dry, integer, list, OPERATOR, page, READ, typed } from "../../schemas.ts";

const view = z.object({ agent: z.string().optional(), channel: z.string().optional(), user: z.string().optional() });
const type = z.enum(["keep", "more", "less", "stop", "start"]);
const words = z.object({ type, text: z.string().max(2_000) });
const draft = words.extend({
  scope: z.string().max(200).optional(),
  expiresAt: z.string().max(40).optional(),
  /** How to measure adherence: `length: at most 120 words`. */
  check: z.string().max(500).optional(),
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

export const contractRoutes = {
  "GET /api/contract": {
    summary: "What is in force for a view, and the block as it is told; all directives of every scope",
    tag: "contract",
    roles: READ,
    query: view.extend({ version: integer().optional() }),
    response: z.object({
      contract: typed("ContractBlock"),
      all: list(typed("BehaviorDirective")),
      room: typed("ContractUsage"),
    }),
  },
  "GET /api/contract/history": {
    summary: "What changed it, the newest first",
    tag: "contract",
    roles: READ,
    query: page(500).extend({ search: z.string().max(200).optional() }),
    response: z.object({ events: list(typed("ContractEvent")), next: z.number().optional() }),
  },
  "GET /api/contract/diff": {
    summary: "Between two versions",
    tag: "contract",
    roles: READ,
    query: view.extend({ from: integer(), to: integer() }),
    response: z.object({
      from: typed("ContractBlock"),
      to: typed("ContractBlock"),
      same: z.boolean(),
      added: list(typed("BehaviorDirective")),
      removed: list(typed("BehaviorDirective")),
    }),
  },
  "POST /api/contract/directives": {
    summary: "Add a directive; dryRun shows conflict, duplicate, cap and the block without writing",
    tag: "contract",
    roles: OPERATOR,
    query: dry,
    body: draft,
    response: changed,
    status: 201,
  },
  "PUT /api/contract/directives/{id}": {
    summary: "Put another directive in the place of one",
    tag: "contract",
    roles: OPERATOR,
    query: dry,
    body: draft,
    response: changed,
  },
  "DELETE /api/contract/directives/{id}": {
    summary: "Take a directive out",
    tag: "contract",
    roles: OPERATOR,
    query: dry.extend({ reason: z.string().max(500).optional() }),
    response: changed,
  },
  "POST /api/contract/undo": {
    summary: "Take back the newest change that still shows",
    tag: "contract",
    roles: OPERATOR,
    query: dry,
    body: z.object({ scope: z.string().optional() }),
    response: changed,
  },
  "GET /api/candidates": {
    summary: "What the review proposes, with its evidence and what it would do, in words",
    tag: "candidates",
    roles: READ,
    query: z.object({ status: z.enum(["pending", "snoozed", "promoted", "rejected", "expired"]).optional() }),
    response: z.object({ candidates: list(typed("CandidateShown")) }),
  },
  "POST /api/candidates/{id}/promote": {
    summary: "Make a candidate a directive, edited first where `as` says so",
    tag: "candidates",
    roles: OPERATOR,
    query: dry,
    body: z.object({ as: words.optional() }),
    response: changed,
  },
  "POST /api/candidates/{id}/reject": {
    summary: "Reject a candidate",
    tag: "candidates",
    roles: OPERATOR,
    body: z.object({ reason: z.string().max(500).optional() }),
    response: changed,
  },
  "POST /api/candidates/{id}/edit": {
    summary: "Say a candidate in other words; it stays a candidate",
    tag: "candidates",
    roles: OPERATOR,
    query: dry,
    body: words,
    response: changed,
  },
  "POST /api/contract/directives/{id}/mark": {
    summary: "Say that a directive has helped or done harm",
    tag: "contract",
    roles: OPERATOR,
    body: z.object({ mark: z.enum(["helpful", "harmful"]), note: z.string().max(500).optional() }),
    response: changed,
  },
  "PUT /api/contract/directives/{id}/check": {
    summary: "Declare how to tell whether a directive is followed; without a check, that it cannot be told",
    tag: "contract",
    roles: OPERATOR,
    query: dry,
    body: z.object({ check: z.string().max(500).optional() }),
    response: changed,
  },
  "POST /api/candidates/{id}/snooze": {
    summary: "Ask again later",
    tag: "candidates",
    roles: OPERATOR,
    body: z.object({ until: z.string().max(40) }),
    response: changed,
  },
} satisfies RouteTable;

export function contractHandlers(service: ContractService, clock: Clock): RouteHandlers<typeof contractRoutes> {
  const change = async (request: ChangeRequest, by: string, dryRun = false) => {
    const decision = await service.change(request, by, { dryRun });
    if (decision.kind === "refused") throw refusal(decision);
    const { outcome, contract, directive, candidate, warnings, state, events } = decision;
    const room = await service.room(state, contract);
    return { outcome, dryRun, contract: show(contract), room, directive, candidate, events, warnings };
  };
  const at = (version: number | undefined, of: ContractView) =>
    version === undefined ? service.contract(of) : service.at({ seq: version }, of);

  return {
    async "GET /api/contract"({ query: { version, ...of } }) {
      const state = await reliableState(service);
      const contract = await at(version, of);
      return { contract: show(contract), all: allDirectives(state), room: await service.room(state, contract) };
    },
    async "GET /api/contract/history"({ query: { limit, before, search } }) {
      const events = await service.events({ limit, before, search: search?.trim() === "" ? undefined : search });
      return { events, next: events.length === limit ? events.at(-1)?.seq : undefined };
    },
    async "GET /api/contract/diff"({ query: { from, to, ...of } }) {
      const [a, b] = await Promise.all([at(from, of), at(to, of)]);
      return { ...diffContracts(a, b), from: show(a), to: show(b) };
    },
    "POST /api/contract/directives": ({ body, query }, { user }) =>
      change({ kind: "add", ...body }, user.id, query.dryRun),
    "PUT /api/contract/directives/{id}": ({ params, body, query }, { user }) =>
      change({ kind: "replace", id: params.id, ...body }, user.id, query.dryRun),
    "DELETE /api/contract/directives/{id}": ({ params, query }, { user }) =>
      change({ kind: "remove", id: params.id, reason: query.reason }, user.id, query.dryRun),
    "POST /api/contract/undo": ({ body, query }, { user }) =>
      change({ kind: "undo", scope: body.scope }, user.id, query.dryRun),
    async "GET /api/candidates"({ query: { status } }) {
      const { candidates } = await reliableState(service);
      const now = clock.now();
      const found = [...candidates]
        .map(([, one]) => candidateNow(one, now))
        .filter((one) => status === undefined || one.status === status)
        .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      return { candidates: found.map(showCandidate) };
    },
    "POST /api/candidates/{id}/promote": ({ params, body, query }, { user }) =>
      change({ kind: "promote", id: params.id, as: body.as }, user.id, query.dryRun),
    "POST /api/candidates/{id}/reject": ({ params, body }, { user }) =>
      change({ kind: "reject", id: params.id, reason: body.reason }, user.id),
    "POST /api/candidates/{id}/edit": ({ params, body, query }, { user }) =>
      change({ kind: "edit", id: params.id, ...body }, user.id, query.dryRun),
    "POST /api/contract/directives/{id}/mark": ({ params, body }, { user }) =>
      change({ kind: "mark", id: params.id, ...body }, user.id),
    "PUT /api/contract/directives/{id}/check": ({ params, body, query }, { user }) =>
      change({ kind: "check", id: params.id, check: body.check }, user.id, query.dryRun),
    "POST /api/candidates/{id}/snooze": ({ params, body }, { user }) =>
      change({ kind: "snooze", id: params.id, until: body.until }, user.id),
  };
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

/** Uses the same codes as the CLI. */
export function refusal({ code, message, fix, next, against }: Extract<ChangeDecision, { kind: "refused" }>): Problem {
  const detail = { next: next.map(({ command }) => command), against };
  return new Problem(code.endsWith("_NOT_FOUND") ? 404 : 409, code, message, { fix, detail });
}

/**
 * Returns the rules and the contract. Throws a `Problem` if the journal is too damaged to read them, and never returns
 * an empty list instead.
 */
export async function reliableState(service: Pick<ContractService, "state">): Promise<ContractState> {
  const state = await service.state();
  if (state.fault?.trust !== "none") return state;
  const message = `The governance journal is damaged, so nobody can tell what is in force: ${state.fault.message}.`;
  throw new Problem(503, "GOVERNANCE_DAMAGED", message, { fix: `Run ${REPAIR_COMMAND} in a terminal of your own.` });
}
