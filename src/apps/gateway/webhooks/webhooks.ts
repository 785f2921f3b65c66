import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { DeliverySource } from "../../../base/ports/stores/hosting/deliveries.ts";
import type { Json } from "../../../base/words/json.ts";
import type { UrlChecks } from "../../../edge/host/node/safe-url.ts";
import type { Receiver } from "../../../edge/host/opening/load-outgoing.ts";
import { redactTextWith } from "../../../engine/journal/redact-event.ts";
import type { Update } from "../conversations/updates.ts";
import type { Listeners } from "../listeners.ts";
import type { Leader } from "../replicas/ownership.ts";
import type { GatewayStores } from "../stores.ts";
import { sendEmail } from "./send-email.ts";
import { sendWebhook } from "./send-webhook.ts";
import {
  draftOf,
  message,
  messageOfEntry,
  messageOfEvent,
  messageOfTurn,
  type WebhookMessage,
} from "./webhook-messages.ts";

const LOOK_MS = 1_000;
const SWEEP_MS = 3_600_000;
/** Events read in one step. */
const STEP = 250;
/** Deliveries of one webhook in one look. */
const MOST_SENT = 50;
const DAY_MS = 24 * 3_600_000;
/** How long the log is kept. */
const LOG_MS = 30 * DAY_MS;

export type WebhooksOptions = {
  readonly webhooks: readonly Receiver[];
  readonly stores: Pick<GatewayStores, "deliveries" | "events" | "governance" | "conversations" | "keys">;
  readonly updates: Pick<Listeners<Update>, "subscribe">;
  /** The console's page of a session. */
  readonly linkTo: (session: string) => string;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Decides which of several gateways sends. */
  readonly leader?: Leader | undefined;
  readonly checks?: UrlChecks;
};

export type Webhooks = ReturnType<typeof openWebhooks>;

/**
 * Sends events to the webhooks and mailboxes of conduct.yaml. The journals are followed with a stored position and every delivery is
 * stored before it is sent, so a restart or another gateway continues. Only one gateway sends at a time.
 */
export function openWebhooks(options: WebhooksOptions) {
  const { webhooks, stores, linkTo, clock, report, leader } = options;
  const { deliveries } = stores;
  const closing = new AbortController();
  const { signal } = closing;
  const sending = new Map<string, Promise<void>>();
  const complaints = new Map<string, string>();

  const wants = ({ topics, name }: Receiver, { topic, key }: WebhookMessage) =>
    topic === "test" ? key.startsWith(`${name}:`) : topics.includes(topic);

  async function draftsOf(messages: readonly WebhookMessage[]) {
    const redact = redactTextWith(await stores.keys.journal());
    const recent = messages.filter(({ at }) => at > clock.now() - DAY_MS);
    return recent.flatMap((one) =>
      webhooks.filter((webhook) => wants(webhook, one)).map(({ name }) => draftOf(one, name, redact)),
    );
  }

  async function add(messages: readonly WebhookMessage[]): Promise<void> {
    const drafts = await draftsOf(messages);
    if (drafts.length > 0) await deliveries.add(drafts);
  }

  /** Stores the deliveries of what was written since the last time. */
  async function followEvents(): Promise<void> {
    const from = await deliveries.position("events");
    // A new webhook hears what happens from now on.
    if (from === undefined) return void (await deliveries.advance("events", from, await stores.events.head(), []));
    const head = await stores.events.head();
    if (head <= from) return;
    const page = await stores.events.follow({ after: from, limit: STEP, types: ["call", "approval"] });
    const to = page.length < STEP ? Math.max(head, page.at(-1)?.position ?? from) : (page.at(-1)?.position ?? from);
    await follow(
      "events",
      from,
      to,
      page.map(({ event }) => messageOfEvent(event, linkTo)),
    );
  }

  async function followGovernance(): Promise<void> {
    const from = await deliveries.position("governance");
    const { seq } = await stores.governance.head();
    if (from === undefined) return void (await deliveries.advance("governance", from, seq, []));
    if (seq <= from) return;
    const { entries } = await stores.governance.read({ from: from + 1, limit: STEP });
    const to = entries.at(-1)?.seq ?? seq;
    await follow("governance", from, to, entries.map(messageOfEntry));
  }

  async function follow(
    source: DeliverySource,
    from: number,
    to: number,
    found: readonly (WebhookMessage | undefined)[],
  ): Promise<void> {
    const messages = found.flatMap((one) => one ?? []);
    await deliveries.advance(source, from, to, await draftsOf(messages));
  }

  /** One after the other, so that a slow receiver gets one request at a time and delays no other webhook. */
  async function send(webhook: Receiver): Promise<void> {
    const due = await deliveries.due(clock.now(), MOST_SENT, webhook.name);
    for (const delivery of due) {
      if (signal.aborted) return;
      const how = { now: () => clock.now(), signal, checks: options.checks };
      const attempt = await (webhook.kind === "email"
        ? sendEmail(webhook, delivery, how)
        : sendWebhook(webhook, delivery, how));
      await deliveries.record(delivery.id, attempt);
      complain(webhook, attempt.state === "delivered" ? undefined : attempt.result);
    }
  }

  /** Reports a new reason once, and its end. */
  function complain({ name }: Receiver, why: string | undefined): void {
    const before = complaints.get(name);
    if (why === before) return;
    if (why === undefined) {
      complaints.delete(name);
      report(`webhook ${name}: deliveries arrive again`);
      return;
    }
    complaints.set(name, why);
    report(`webhook ${name}: a delivery failed (${why}). It is retried; see: conduct webhooks log --webhook ${name}`);
  }

  async function look(): Promise<void> {
    if (leader !== undefined && !(await leader.take())) return;
    await followEvents();
    await followGovernance();
    for (const webhook of webhooks) {
      if (sending.has(webhook.name)) continue;
      const sent = send(webhook)
        .catch(failed)
        .finally(() => sending.delete(webhook.name));
      sending.set(webhook.name, sent);
    }
  }

  const failed = (error: unknown) => {
    if (!signal.aborted) report(`webhooks: ${errorText(error)}`);
  };
  let looking: Promise<void> | undefined;
  const timers: NodeJS.Timeout[] = [];
  const lookNow = () => {
    looking ??= look()
      .catch(failed)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const adding = new Set<Promise<void>>();
  const leave = options.updates.subscribe(undefined, (update) => {
    if (update.kind !== "turn" || (update.turn.status !== "failed" && update.turn.status !== "interrupted")) return;
    const added = stores.conversations
      .read(update.turn.conversation)
      .then((owner) => add([messageOfTurn(update.turn, owner, linkTo)].flatMap((one) => one ?? [])))
      .catch(failed)
      .finally(() => adding.delete(added));
    adding.add(added);
  });

  return {
    /** The configured webhooks, without their keys. */
    list: webhooks.map((one) => {
      const url = one.kind === "email" ? `mailto:${one.to.join(",")}` : one.url;
      return { name: one.name, url, topics: one.topics };
    }),
    start(): void {
      const sweep = () => void deliveries.expire(clock.now() - LOG_MS).catch(failed);
      timers.push(setInterval(() => void lookNow(), LOOK_MS).unref(), setInterval(sweep, SWEEP_MS).unref());
      void lookNow();
    },
    /** Stores the digest of a review's run for sending. */
    digest: (run: string, data: { readonly [name: string]: Json }) =>
      add([message("digests", "digest.ready", `digest:${run}`, clock.now(), data)]),
    /** Stores a test message for one webhook. Returns its id, or `undefined` if there is no such webhook. */
    async test(name: string): Promise<string | undefined> {
      const now = clock.now();
      const test = message("test", "webhook.test", `${name}:${now}`, now, { webhook: name });
      const [draft] = await draftsOf([test]);
      if (draft === undefined) return undefined;
      await deliveries.add([draft]);
      void lookNow();
      return draft.id;
    },
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      leave();
      closing.abort();
      await Promise.all([looking, ...sending.values(), ...adding]);
      await leader?.give();
    },
  };
}
