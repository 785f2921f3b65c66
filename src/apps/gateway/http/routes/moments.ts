import type { Sender } from "../../../../base/words/hosting/channel.ts";
import {
  callAnswer,
  callBody,
  closeAnswer,
  MOMENT_BYTES,
  messageAnswer,
  messageBody,
  openAnswer,
  openBody,
  promptAnswer,
  promptBody,
  resultAnswer,
  resultBody,
  stopAnswer,
  stopBody,
  toolAnswer,
  toolBody,
} from "../../../../edge/host/moments/moment-bodies.ts";
import { MomentError } from "../../../../edge/host/moments/moment-error.ts";
import { type Caller, route } from "../route.ts";
import { TALK } from "../schemas.ts";

/** The moments of an agent that runs elsewhere, in any language. The daemon serves the same routes on its machine. */
const EACH = { roles: TALK, maxBody: MOMENT_BYTES, frequent: true } as const;

export const momentRoutes = [
  route("POST /api/v1/sessions", {
    summary: "Open a session for an agent that runs elsewhere, or continue the one with this id",
    ...EACH,
    body: openBody,
    response: openAnswer,
    status: 201,
    answer: async ({ body }, { user }, { apiSessions }) => apiSessions.open(body, user),
  }),
  route("POST /api/v1/sessions/{id}/message", {
    summary:
      "A person's message. Directives and elevation in it count only if the token has the scope `operator-messages` and its user is an operator",
    ...EACH,
    body: messageBody,
    response: messageAnswer,
    answer: ({ params, body }, caller, { apiSessions }) =>
      apiSessions.moment(params.id, "message", caller.user.id, body, senderOf(caller)),
  }),
  route("POST /api/v1/sessions/{id}/prompt", {
    summary: "Build the prompt for the next model request",
    ...EACH,
    body: promptBody,
    response: promptAnswer,
    answer: ({ params, body }, caller, { apiSessions }) =>
      apiSessions.moment(params.id, "prompt", caller.user.id, body),
  }),
  route("POST /api/v1/sessions/{id}/call", {
    summary: "Decide on a tool call. Run it only after `allow`; after `ask`, a person has to approve it first",
    ...EACH,
    body: callBody,
    response: callAnswer,
    answer: ({ params, body }, caller, { apiSessions }) => apiSessions.moment(params.id, "call", caller.user.id, body),
  }),
  route("POST /api/v1/sessions/{id}/result", {
    summary: "Report the result of an allowed call. The answer says what the model reads",
    ...EACH,
    body: resultBody,
    response: resultAnswer,
    answer: ({ params, body }, caller, { apiSessions }) =>
      apiSessions.moment(params.id, "result", caller.user.id, body),
  }),
  route("POST /api/v1/sessions/{id}/stop", {
    summary: "Ask whether the agent may stop. With `done: false` it continues with `feedback`",
    ...EACH,
    body: stopBody,
    response: stopAnswer,
    answer: ({ params, body }, caller, { apiSessions }) => apiSessions.moment(params.id, "stop", caller.user.id, body),
  }),
  route("POST /api/v1/sessions/{id}/tool", {
    summary: "Run one of the tools that Conduct adds, after its call was allowed",
    ...EACH,
    body: toolBody,
    response: toolAnswer,
    answer: ({ params, body }, caller, { apiSessions }) => apiSessions.moment(params.id, "tool", caller.user.id, body),
  }),
  route("DELETE /api/v1/sessions/{id}", {
    summary: "End the session. Its journal stays",
    ...EACH,
    response: closeAnswer,
    answer: ({ params }, { user }, { apiSessions }) =>
      apiSessions.moment<{ closed: true }>(params.id, "close", user.id, undefined).catch((error: unknown) => {
        if (error instanceof MomentError && error.code === "SESSION_ENDED") return { closed: true as const };
        throw error;
      }),
  }),
];

/** Text that a program relays is never an operator's, unless the operator gave the token that scope. */
function senderOf({ user: { id, role }, scopes }: Caller): Sender {
  return { id, user: id, role: scopes?.includes("operator-messages") === true ? role : "user" };
}
