import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString, parseObject } from "../../../base/kernel/json.ts";
import { loadOptional } from "../../../base/kernel/optional-package.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Delivery } from "../../../base/ports/stores/hosting/deliveries.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Mailbox } from "../../../edge/host/opening/load-outgoing.ts";
import { type Attempt, again } from "./attempts.ts";

const SEND_MS = 30_000;
const MOST_SUBJECT = 120;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Refusals of the sender, the receivers or the text. All others, such as a wrong login, can be corrected and end. */
const ABOUT_MAIL: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE"]);
const LOGIN_FIRST = 530;

const SUBJECTS: { readonly [type: string]: (data: JsonObject) => string } = {
  "digest.ready": ({ proposals }) => {
    const count = Array.isArray(proposals) ? proposals.length : 0;
    return `Daily review: ${count} ${count === 1 ? "proposal" : "proposals"}`;
  },
  "question.asked": ({ agent, rule }) => `Question from ${asString(agent)} (rule ${asString(rule)})`,
  "question.answered": ({ agent, answer }) => `A question of ${asString(agent)} was answered: ${asString(answer)}`,
  "call.denied": ({ agent, rule }) => `A call of ${asString(agent)} was denied: ${asString(rule)}`,
  "turn.failed": ({ agent }) => `A turn of ${asString(agent)} failed`,
  "contract.changed": ({ change }) => `The contract changed: ${asString(change)}`,
};

/** Subject and plain text of an e-mail about an event. */
export function emailOf(body: string): { readonly subject: string; readonly text: string } {
  const { type, data: given } = parseObject(body) ?? {};
  const data = asObject(given);
  const subject = SUBJECTS[asString(type)]?.(data) ?? asString(type);
  // A line break in a subject would begin another header.
  const line = `Conduct: ${subject}`.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  const text = typeof data.markdown === "string" ? data.markdown : Object.entries(data).map(lineOf).join("\n");
  return { subject: cutGraphemes(line, MOST_SUBJECT), text };
}

function lineOf([name, value]: [string, Json | undefined]): string {
  return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/**
 * Sends a delivery once. Every attempt has the same Message-ID. Resolves to what to store; rejects only if `signal` was
 * aborted, which is no attempt.
 */
export async function sendEmail(
  { to, from, server }: Mailbox,
  { id, body, attempts: before }: Delivery,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<Attempt> {
  signal.throwIfAborted();
  const attempts = before + 1;
  const { createTransport } = await loadOptional("nodemailer", "CONDUCT_SMTP_URL", () => import("nodemailer"));
  const { hostname, username, password, protocol, port } = new URL(server);
  const transport = createTransport({
    ...{ host: hostname.replace(/^\[(.*)\]$/, "$1"), secure: protocol === "smtps:" },
    port: Number(port) || (protocol === "smtps:" ? 465 : 587),
    auth: username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    // A password is never sent in clear over a network.
    requireTLS: protocol !== "smtps:" && username !== "" && !LOOPBACK.test(hostname),
    ...{ connectionTimeout: SEND_MS, greetingTimeout: SEND_MS, socketTimeout: SEND_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const stop = () => transport.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const messageId = `<${id}@${from.split("@")[1] ?? "conduct"}>`;
    const sent = await transport.sendMail({ from, to: [...to], messageId, ...emailOf(body) });
    const refused = sent.rejected.length === 0 ? "" : `; rejected for ${sent.rejected.join(", ")}`;
    return { state: "delivered", attempts, nextAt: now(), result: `${sent.response}${refused}`.slice(0, 500) };
  } catch (error) {
    signal.throwIfAborted();
    const { responseCode = 0, code = "" } = error as { readonly responseCode?: number; readonly code?: string };
    const result = errorText(error)
      .replaceAll(password || "\0", "PASSWORD")
      .slice(0, 500);
    const isFinal = ABOUT_MAIL.has(code) && responseCode >= 500 && responseCode !== LOGIN_FIRST;
    if (isFinal) return { state: "failed", attempts, nextAt: now(), result };
    return again(id, attempts, now(), result, 0);
  } finally {
    signal.removeEventListener("abort", stop);
    transport.close();
  }
}
