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

const name = (of: string) =>
  matching(/^[a-z0-9][a-z0-9-]{0,31}$/, `is not a valid name of ${of}: use at most 32 of a-z, 0-9 and '-'`);

/** `gateway.webhooks`. */
export const webhooks = z.record(name("a webhook"), webhook, { error: "must be a map from names to webhooks" });

/** No blanks, line breaks or commas, so that an address adds no header and no receiver. */
const address = () => matching(/^[^\s<>,;:"@]+@[^\s<>,;:"@]+$/, "must be an e-mail address, such as ann@example.org");

const email = map({
  to: nonEmpty(address()).describe("Addresses that receive the e-mails."),
  from: address().describe("Address of the sender."),
  events: optional(nonEmpty(oneOf(...WEBHOOK_TOPICS)), "What to send. Default: digests."),
});

/** `gateway.emails`. */
export const emails = z.record(name("e-mails"), email, { error: "must be a map from names to e-mails" });

export type EmailConfig = z.output<typeof email>;

export type WebhookConfig = z.output<typeof webhook>;
