import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { ActiveBehaviorContract, Candidate, ContractView } from "../../../../base/words/contract.ts";
import { diffContracts, renderContract } from "../../../../behavior/contract/active-contract.ts";
import { candidateAt, isOpen } from "../../../../behavior/contract/candidates.ts";
import type { ContractUsage } from "../../../../behavior/contract/contract-limits.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import type { ChangeDecision, ChangeRequest } from "../../../../behavior/contract/decide/change-request.ts";
import { isOver } from "../../../../behavior/contract/iso-time.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { digestItem } from "../../../learning/digest/digest.ts";
import { Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";
import { reliableState } from "./reliable-state.ts";

const OPERATOR = ["operator"] as const;
const LOOK = ["operator", "viewer"] as const;

const view = z.object({ agent: z.string().optional(), channel: z.string().optional(), user: z.string().optional() });
const contract = z.object({
  version: z.number(),
  hash: z.string(),
  generatedAt: z.string(),
  directives: z.array(anything),
  block: z.string(),
});
const fullest = z.object({ items: z.number(), tokens: z.number(), scopes: z.array(z.string()) });
/** `tokens`: of the block that is shown. `fullest`: of any that a conversation can have; those are what the cap is for. */
const room = z.object({
  tokens: z.number(),
  fullest: z.object({ items: fullest, tokens: fullest }),
  most: z.object({ items: z.number(), tokens: z.number() }),
});
const type = z.enum(["keep", "more", "less", "stop", "start"]);
const draft = z.object({
  type,
  text: z.string().max(2_000),
  scope: z.string().max(200).optional(),
  expiresAt: z.string().max(40).optional(),
  /** How to tell whether it is followed: `length: at most 120 words`. */
  check: z.string().max(500).optional(),
});
/** `dryRun`: nothing is written, and the answer is what would come of it. */
const dry = z.object({ dryRun: z.stringbool().optional() });
const changed = z.object({
  outcome: z.string(),
  dryRun: z.boolean(),
  contract,
  room,
  directive: anything.optional(),
  candidate: anything.optional(),
  /** What was written down, or would be. */
  events: z.array(anything),
  warnings: z.array(anything),
});
const lines = z.object({ added: z.array(anything), removed: z.array(anything) });

export const contractRoutes = {
  "GET /api/contract": {
    summary: "What is in force for a view, and the block as it is told; all directives of every scope",
    tag: "contract",
    roles: LOOK,
    query: view.extend({ version: z.coerce.number().int().min(0).optional() }),
    response: z.object({ contract, all: z.array(anything), room }),
  },
  "GET /api/contract/history": {
    summary: "What changed it, the newest first",
    tag: "contract",
    roles: LOOK,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(50),
      before: z.coerce.number().optional(),
      search: z.string().max(200).optional(),
    }),
    response: z.object({ events: z.array(anything), next: z.number().optional() }),
  },
  "GET /api/contract/diff": {
    summary: "Between two versions",
    tag: "contract",
    roles: LOOK,
    query: view.extend({ from: z.coerce.number().int().min(0), to: z.coerce.number().int().min(0) }),
    response: z.object({ from: contract, to: contract, same: z.boolean(), ...lines.shape }),
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
    roles: LOOK,
    query: z.object({ status: z.enum(["pending", "snoozed", "promoted", "rejected", "expired"]).optional() }),
    response: z.object({ candidates: z.array(anything) }),
  },
  "POST /api/candidates/{id}/promote": {
    summary: "Make a candidate a directive, edited first where `as` says so",
    tag: "candidates",
    roles: OPERATOR,
    query: dry,
    body: z.object({ as: z.object({ type, text: z.string().max(2_000) }).optional() }),
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
    body: z.object({ type, text: z.string().max(2_000) }),
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
    const { outcome, contract: after, directive, candidate, warnings, state, events } = decision;
    return {
      outcome,
      dryRun,
      contract: show(after),
      room: plainRoom(await service.room(state, after)),
      ...(directive === undefined ? {} : { directive: { ...directive } }),
      ...(candidate === undefined ? {} : { candidate: { ...candidate } }),
      events: events.map((one) => ({ ...one })),
      warnings: warnings.map((one) => ({ ...one })),
    };
  };
  const at = async (version: number | undefined, of: ContractView) =>
    version === undefined ? service.contract(of) : service.at({ seq: version }, of);

  return {
    async "GET /api/contract"({ query: { version, ...of } }) {
      const state = await reliableState(service);
      const shown = await at(version, given(of));
      const all = allDirectives(state).map((one) => ({ ...one }));
      return { contract: show(shown), all, room: plainRoom(await service.room(state, shown)) };
    },
    async "GET /api/contract/history"({ query: { limit, before, search } }) {
      const events = await service.events({
        limit,
        ...(before === undefined ? {} : { before }),
        ...(search === undefined || search.trim() === "" ? {} : { search }),
      });
      const last = events.at(-1);
      const next = events.length === limit && last !== undefined ? { next: last.seq } : {};
      return { events: events.map((one) => ({ ...one })), ...next };
    },
    async "GET /api/contract/diff"({ query: { from, to, ...of } }) {
      const [a, b] = await Promise.all([at(from, given(of)), at(to, given(of))]);
      const { same, added, removed } = diffContracts(a, b);
      const plain = (list: readonly object[]) => list.map((one) => ({ ...one }));
      return { from: show(a), to: show(b), same, added: plain(added), removed: plain(removed) };
    },
    "POST /api/contract/directives": ({ body, query }, { user }) =>
      change({ kind: "add", ...defined(body) }, user.id, query.dryRun),
    "PUT /api/contract/directives/{id}": ({ params, body, query }, { user }) =>
      change({ kind: "replace", id: params.id, ...defined(body) }, user.id, query.dryRun),
    "DELETE /api/contract/directives/{id}": ({ params, query }, { user }) => {
      const why = query.reason === undefined ? {} : { reason: query.reason };
      return change({ kind: "remove", id: params.id, ...why }, user.id, query.dryRun);
    },
    "POST /api/contract/undo": ({ body, query }, { user }) =>
      change({ kind: "undo", ...(body.scope === undefined ? {} : { scope: body.scope }) }, user.id, query.dryRun),
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
      change(
        { kind: "promote", id: params.id, ...(body.as === undefined ? {} : { as: body.as }) },
        user.id,
        query.dryRun,
      ),
    "POST /api/candidates/{id}/reject": ({ params, body }, { user }) =>
      change({ kind: "reject", id: params.id, ...(body.reason === undefined ? {} : { reason: body.reason }) }, user.id),
    "POST /api/candidates/{id}/edit": ({ params, body, query }, { user }) =>
      change({ kind: "edit", id: params.id, type: body.type, text: body.text }, user.id, query.dryRun),
    "POST /api/contract/directives/{id}/mark": ({ params, body }, { user }) => {
      const note = body.note === undefined ? {} : { note: body.note };
      return change({ kind: "mark", id: params.id, mark: body.mark, ...note }, user.id);
    },
    "PUT /api/contract/directives/{id}/check": ({ params, body, query }, { user }) => {
      const check = body.check === undefined ? {} : { check: body.check };
      return change({ kind: "check", id: params.id, ...check }, user.id, query.dryRun);
    },
    "POST /api/candidates/{id}/snooze": ({ params, body }, { user }) =>
      change({ kind: "snooze", id: params.id, until: body.until }, user.id),
  };
}

function show(of: ActiveBehaviorContract) {
  return { ...of, directives: of.directives.map((one) => ({ ...one })), block: renderContract(of) };
}

function plainRoom({ tokens, fullest, most }: ContractUsage): z.output<typeof room> {
  const plain = (of: "items" | "tokens") => ({ ...fullest[of], scopes: [...fullest[of].scopes] });
  return { tokens, fullest: { items: plain("items"), tokens: plain("tokens") }, most };
}

/** As it counts now, before its end was written down. */
function candidateNow(stored: Candidate, now: number): Candidate {
  const one = candidateAt(stored, now);
  return isOpen(one) && isOver(one.expiresAt, now) ? { ...one, status: "expired" } : one;
}

/** `quotes`: its evidence, each with the session and event where the words stand. */
function showCandidate(candidate: Candidate) {
  const { would, evidence } = digestItem(candidate);
  return { ...candidate, would, quotes: evidence.map((one) => ({ ...one })) };
}

/** The same codes as the CLI's. */
export function refusal({ code, message, fix, next, against }: Extract<ChangeDecision, { kind: "refused" }>): Problem {
  const missing = code.endsWith("_NOT_FOUND");
  const commands = next.map(({ command }) => command);
  const detail = { next: commands, ...(against === undefined ? {} : { against }) };
  return new Problem(missing ? 404 : 409, code, message, { fix, detail });
}

function given({ agent, channel, user }: z.output<typeof view>): ContractView {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(channel === undefined ? {} : { channel }),
    ...(user === undefined ? {} : { user }),
  };
}

function defined({ type: kind, text, scope, expiresAt, check }: z.output<typeof draft>) {
  return {
    type: kind,
    text,
    ...(scope === undefined ? {} : { scope }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(check === undefined ? {} : { check }),
  };
}
