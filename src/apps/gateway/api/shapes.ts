import { z } from "zod";

/** Pages: `limit` of them, and where to go on from. */
export const page = (most = 200) =>
  z.object({
    limit: z.coerce.number().int().min(1).max(most).default(50),
    before: z.coerce.number().optional(),
  });

export const conversation = z.object({
  id: z.string(),
  agent: z.string(),
  user: z.string(),
  channel: z.string(),
  address: z.string().optional(),
  at: z.number(),
  lastAt: z.number(),
});

const sender = z.object({
  id: z.string().optional(),
  user: z.string().optional(),
  role: z.enum(["operator", "user", "viewer"]),
});

export const turn = z.object({
  id: z.string(),
  conversation: z.string(),
  messageId: z.string().optional(),
  text: z.string(),
  sender: sender.optional(),
  at: z.number(),
  status: z.enum([
    "queued",
    "running",
    "complete",
    "incomplete",
    "bypassed",
    "answered",
    "ended-by-policy",
    "failed",
    "cancelled",
    "interrupted",
  ]),
  answer: z.string().optional(),
  why: z.string().optional(),
  endedAt: z.number().optional(),
});

export const user = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(["operator", "user", "viewer"]),
  zone: z.string().optional(),
  telegram: z.number().optional(),
  at: z.number(),
});

export const approval = z.object({
  approval: z.string(),
  session: z.string(),
  agent: z.string(),
  user: z.string(),
  rule: z.string(),
  tool: z.string(),
  question: z.string(),
  expiresAt: z.number(),
});

/** Events and the like are ours, and checked where they are made. */
export const anything = z.record(z.string(), z.unknown());
