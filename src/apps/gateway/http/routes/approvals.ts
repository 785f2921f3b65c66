import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { Approvals, PendingApproval } from "../../agents/approvals.ts";
import { notFound, Problem } from "../problem.ts";
import type { Caller, RouteHandlers, RouteTable } from "../route.ts";
import { list, TALK, typed } from "../schemas.ts";

const answer = z.enum(["yes", "no"]);

export const approvalRoutes = {
  "GET /api/approvals": {
    summary: "Questions that wait for a person; a user sees those of their own conversations",
    tag: "approvals",
    roles: TALK,
    response: z.object({ approvals: list(typed("PendingApproval")) }),
  },
  "POST /api/approvals/{id}": {
    summary: "Answer a question; only the conversation's own user, or an operator",
    tag: "approvals",
    roles: TALK,
    body: z.object({ answer }),
    response: z.object({ approval: z.string(), answer, by: z.string() }),
  },
} satisfies RouteTable;

export function approvalHandlers(approvals: Approvals, clock: Clock): RouteHandlers<typeof approvalRoutes> {
  return {
    "GET /api/approvals": (_input, caller) => ({
      approvals: approvals.list(clock.now()).filter((one) => mayAnswer(caller, one)),
    }),
    async "POST /api/approvals/{id}"({ params, body }, caller) {
      const found = approvals.find(params.id);
      if (found === undefined || !mayAnswer(caller, found)) throw notFound(`question '${params.id}' that waits`);
      const by = caller.user.id;
      if (!(await approvals.answer(params.id, { answer: body.answer, by }, clock.now())))
        throw new Problem(409, "EXPIRED", "This question has expired or was answered by somebody else.");
      return { approval: params.id, answer: body.answer, by };
    },
  };
}

function mayAnswer({ user }: Caller, { user: owner }: PendingApproval): boolean {
  return user.role === "operator" || user.id === owner;
}
