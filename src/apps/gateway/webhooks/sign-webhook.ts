import { createHmac } from "node:crypto";

/** The headers of the Standard Webhooks specification. `at` is in milliseconds; the header has seconds. */
export function signedHeaders(
  key: Uint8Array,
  id: string,
  at: number,
  body: string,
): { readonly "webhook-id": string; readonly "webhook-timestamp": string; readonly "webhook-signature": string } {
  const seconds = String(Math.floor(at / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
}
