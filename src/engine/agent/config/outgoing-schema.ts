import { z } from "zod";
import { map, matching, nonEmpty, oneOf, optional, yesOrNo } from "./schema-fields.ts";
import { secret } from "./server-schema.ts";

/** What a webhook can subscribe to. */
export const WEBHOOK_TOPICS = ["questions", "denials", "failed-turns", "contract", "digests"] as const;
export type WebhookTopic = (typeof WEBHOOK_TOPICS)[number];

const webhook = map({
  url: matching(/^https?:\/\/\S+$/, "must be an address such as https://hooks.example.org/conduct").describe(
    "Receives a signed POST with JSON for each event. http:// needs allowPrivate: true.",
  ),
  secret: secret.describe("The signing secret: whsec_ and 24 to 64 bytes in base64."),
  events: optional(nonEmpty(oneOf(...WEBHOOK_TOPICS)), "What to send. Default: everything."),
  allowPrivate: optional(yesOrNo(), "true: the address may be loopback or in a private network. Default: false."),
});

/** `gateway.webhooks`. */
export const webhooks = z.record(
  matching(/^[a-z0-9][a-z0-9-]{0,31}$/, "is not a valid webhook name: use at most 32 of a-z, 0-9 and '-'"),
  webhook,
  { error: "must be a map from names to webhooks" },
);

export type WebhookConfig = z.output<typeof webhook>;
