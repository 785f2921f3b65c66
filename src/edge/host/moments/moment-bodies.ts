import { z } from "zod";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** The bodies and answers of the HTTP moments: what both servers accept, and what OpenAPI documents. */

/** A body with the result of a call can be long; longer ones are rejected. */
export const MOMENT_BYTES: number = 8 * 1024 * 1024;

const id = z.string().regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable characters without spaces");
const name = z.string().min(1).max(200);
const repeat = id
  .optional()
  .describe("Names this request: the same id is answered with the same answer, and counts once");
/** Our own type, documented by its schema. */
const object = z
  .custom<JsonObject>((value) => isObject(value), "must be an object")
  .meta({ $ref: "#/components/schemas/JsonObject" });

const part = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("text"), text: z.string() }),
  z.strictObject({ kind: z.literal("json"), value: z.unknown() }),
  z.strictObject({ kind: z.literal("image"), mime: z.string().max(200), data: z.string() }),
]);

export const openBody = z.strictObject({
  id: id.optional().describe("Names the session for you: opened again with the same id, it continues"),
  agent: name.optional().describe("Required on a gateway; the daemon's configuration may choose it"),
  cwd: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("The folder the agent works in. Required on the daemon, which reads the files there"),
  model: name.optional(),
  window: z.number().int().min(1).optional().describe("The model's context window in tokens"),
  channel: name.optional().describe("Default: api"),
  parent: id.optional().describe("The session whose agent started this one"),
});

export const messageBody = z.strictObject({
  id: repeat,
  text: z.string().min(1).max(100_000),
  quotedLines: z.array(z.number().int().min(1)).max(10_000).optional(),
});

export const promptBody = z.strictObject({
  id: repeat,
  tools: z.array(name).max(1_000).optional().describe("The names of the model's tools"),
});

export const callBody = z.strictObject({
  id: id.describe("The call's id: the same call is decided once, and another input for it is rejected"),
  tool: name,
  input: object,
  step: id.optional().describe("A name of the model response that this call belongs to, unique in the session"),
  cwd: z.string().min(1).max(4_096).optional(),
  waitMs: z.number().int().min(0).max(3_600_000).optional().describe("How long to wait for a person. Default: 0"),
});

export const resultBody = z.strictObject({
  id: id.describe("The id of the call"),
  outcome: z.enum(["ok", "failed", "cancelled", "unknown"]),
  exitCode: z.number().int().optional(),
  parts: z.array(part).max(1_000),
  requirements: z.unknown().optional().describe("The result's `__directives`; only those of trusted tools count"),
});

export const stopBody = z.strictObject({
  id: repeat,
  output: z.unknown().optional().describe("The agent's answer"),
  reason: z.string().max(1_000).optional(),
  inputTokens: z.number().int().min(0).optional().describe("What the turn used, for the agent's limits"),
  outputTokens: z.number().int().min(0).optional(),
  cost: z.number().min(0).optional(),
});

export const toolBody = z.strictObject({ id: id.describe("The id of the allowed call"), tool: name, input: object });

const debug = z.string().optional().describe("Text for the person, in verbose mode; never for the model");
const decision = z.string().describe("The decision's id, for `conduct why`");

export const openAnswer = z.object({
  session: z.string(),
  agent: z.string(),
  observing: z.enum(["shadow", "paused"]).optional().describe("Why nothing is enforced now"),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        inputSchema: object,
        access: z.enum(["read", "write"]),
      }),
    )
    .readonly()
    .describe("The tools that Conduct adds to the agent's own; run them with `tool`"),
});

export const messageAnswer = z.object({
  text: z.string().describe("The message for the model"),
  reply: z.string().optional().describe("The whole answer to the person: do not run the agent"),
  notes: z.array(z.string()).readonly().describe("Texts for the person"),
  modes: z.object({
    think: z.boolean(),
    thinkLevel: z.string().optional(),
    verbose: z.boolean(),
    elevated: z.boolean(),
  }),
  debug,
});

export const promptAnswer = z.object({ text: z.string(), hash: z.string(), tokens: z.number(), debug });

export const callAnswer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("allow"),
    decision,
    input: object.optional().describe("Run the call with this input, which rules have rewritten"),
    because: z.enum(["elevated", "approved", "shadow", "paused"]).optional(),
    debug,
  }),
  z.object({
    kind: z.literal("deny"),
    decision,
    rule: z.string(),
    code: z.string(),
    text: z.string().describe("What the model reads in place of a result"),
    endTurn: z.boolean().describe("The turn ends here: make no further call"),
    debug,
  }),
  z.object({
    kind: z.literal("ask"),
    decision,
    rule: z.string(),
    approval: z.string(),
    question: z.string(),
    expiresAt: z.number(),
    answer: z.string().optional().describe("The command with which a person approves"),
    text: z.string().describe("What the model reads if the call is not sent again"),
    debug,
  }),
]);

export const resultAnswer = z.object({
  changed: z.boolean().describe("The model must read `text` in place of the tool's own result"),
  text: z.string().optional(),
  parts: z.array(part).readonly().optional(),
  debug,
});

export const stopAnswer = z.object({
  done: z.boolean(),
  status: z.enum(["complete", "incomplete", "bypassed"]).optional(),
  why: z.string().optional(),
  feedback: z.string().optional().describe("The message for the model, which continues"),
  debug,
});

export const toolAnswer = z.object({
  outcome: z.enum(["ok", "failed", "denied", "cancelled", "unknown"]),
  parts: z.array(part).readonly(),
});

export const closeAnswer = z.object({ closed: z.literal(true) });

export type OpenBody = z.output<typeof openBody>;
export type CallAnswer = z.output<typeof callAnswer>;
