import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorText } from "../../../base/kernel/error-text.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";
import type { StorePlace } from "../../../edge/stores/sql/open-database.ts";
import type { ReviewConfig } from "../../../engine/agent/config/config-schema.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { buildDigest, type Digest, type DigestItem, renderDigest } from "../../learning/digest/digest.ts";
import { openReview } from "../../learning/open-review.ts";
import { pastRuns } from "../../learning/review/past-runs.ts";
import type { ReviewRecord, ReviewWorld } from "../../learning/review/steps.ts";
import type { DbosReview } from "../../learning/runners/dbos-review.ts";
import { timesFault } from "../channels/schedule-times.ts";
import type { GatewayStores } from "../stores.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { DailyReview } from "./daily-review.ts";

/** The maximum number of proposals per chat message. */
const MOST_PROPOSALS = 10;
const QUOTES = 3;
const QUOTE_CHARS = 300;

/** Relative paths are relative to `home`. */
export type DigestPlaces = Pick<ReviewDeskOptions, "contracts" | "clock" | "home" | "report"> & {
  readonly config: NonNullable<ReviewConfig["digest"]>;
  readonly telegram: () => DigestChat | undefined;
  readonly slack: () => DigestChat | undefined;
};

/** A chat service that shows proposals with buttons. */
export type DigestChat = {
  send(chat: string, text: string): Promise<void>;
  propose(chat: string, text: string, candidate: string): Promise<void>;
};

/**
 * Sends the digest of a run to all configured places. The record is already stored, so a crash loses nothing. Failures
 * are reported and do not affect other places.
 */
export async function deliverDigest(places: DigestPlaces, record: ReviewRecord): Promise<void> {
  const { contracts, clock, config, home, report } = places;
  const digest = buildDigest(await contracts.state(), clock.now(), record);
  if (config.file !== undefined) {
    const file = resolve(home, config.file);
    await replaceFile(file, renderDigest(digest, clock.now())).catch((error: unknown) =>
      report(`daily review: ${file} could not be written: ${errorText(error)}`),
    );
  }
  const chats = [
    ["Telegram", config.telegram, places.telegram],
    ["Slack", config.slack, places.slack],
  ] as const;
  for (const [name, address, open] of chats) {
    if (address === undefined) continue;
    const chat = open();
    if (chat === undefined) report(`daily review: the digest is configured for ${name}, but ${name} is not set up`);
    else
      await tellChat(chat, String(address), digest, report).catch((error: unknown) =>
        report(`daily review: the digest could not be sent to ${name}: ${errorText(error)}`),
      );
  }
}

/** Stores the digest for the webhooks. The time of the run identifies it, so it is sent once. */
async function sendDigest(
  webhooks: Pick<Webhooks, "digest">,
  { contracts, clock, report }: Pick<DigestPlaces, "contracts" | "clock" | "report">,
  record: ReviewRecord,
): Promise<void> {
  const now = clock.now();
  const { items, rules, ...digest } = buildDigest(await contracts.state(), now, record);
  const proposals = items.map(({ candidate: { id, confidence, scope }, would, isNew }) => ({
    ...{ id, would, confidence, scope, isNew },
  }));
  const { sessions, messages, decisions } = record;
  const markdown = renderDigest({ items, rules, ...digest }, now);
  await webhooks
    .digest(String(record.at), { sessions, messages, decisions, proposals, rules, markdown })
    .catch((error: unknown) => report(`daily review: the digest is not sent to webhooks: ${errorText(error)}`));
}

async function tellChat(bot: DigestChat, chat: string, digest: Digest, report: (line: string) => void): Promise<void> {
  const { record, items, rules } = digest;
  const fresh = items.filter(({ isNew }) => isNew);
  const older = items.length - fresh.length;
  if (items.length === 0 && rules.length === 0) return;
  const head = [
    `Daily review: ${fresh.length} new, ${older} waiting (${record?.sessions ?? 0} sessions, ${record?.messages ?? 0} messages).`,
    ...(fresh.length > MOST_PROPOSALS
      ? [`Here are the ${MOST_PROPOSALS} with the highest confidence. All: conduct review list`]
      : []),
    ...rules.map((id) => `Rule ${id}: its shadow period is over. See conduct rules list`),
  ];
  await bot.send(chat, head.join("\n"));
  for (const item of fresh.slice(0, MOST_PROPOSALS)) {
    const { id } = item.candidate;
    // One failing chat must not affect the others.
    await bot
      .propose(chat, proposalText(item), id)
      .catch((error: unknown) => report(`daily review: ${id} could not be sent to the chat: ${errorText(error)}`));
  }
}

/** No parse mode is used, so quotes need no escaping. */
function proposalText({ candidate, evidence }: DigestItem): string {
  const drop = candidate.demotes === undefined ? "" : "drop ";
  return [
    `${candidate.id} · ${drop}“${writeDirective(candidate)}”`,
    `confidence ${candidate.confidence.toFixed(2)} · ${candidate.scope}`,
    ...evidence
      .slice(0, QUOTES)
      .map(({ quote, session }) => `> ${shortQuote(quote)}${session === undefined ? "" : ` (${session})`}`),
  ].join("\n");
}

/** Telegram rejects text cut inside a character. */
function shortQuote(quote: string): string {
  const line = quote.replace(/\s+/g, " ").toWellFormed();
  const cut = cutGraphemes(line, QUOTE_CHARS);
  return cut === line ? line : `${cut} …`;
}

/** Replaces the file atomically. */
async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}.new`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, file);
}

export type ReviewDeskOptions = {
  readonly config: ReviewConfig;
  readonly stores: Pick<GatewayStores, "events" | "governance" | "sessions">;
  readonly contracts: ContractService;
  /** The place of the stores, if a worker thread can open them, too. */
  readonly place?: StorePlace;
  /** A model that reviews in addition to the built-in reviewer. */
  readonly reviewer?: ReviewWorld["reviewer"];
  /** The shared PostgreSQL for `runner: dbos`. */
  readonly shared?: { readonly url: string; readonly version: string };
  readonly clock: Clock;
  readonly home: string;
  readonly telegram: () => DigestChat | undefined;
  readonly slack: () => DigestChat | undefined;
  readonly webhooks?: Pick<Webhooks, "digest"> | undefined;
  readonly report: (line: string) => void;
};

export type ReviewDesk = ReturnType<typeof openReviewDesk>;

/** The daily review in the gateway: on time if embedded, and always on demand. */
export function openReviewDesk(options: ReviewDeskOptions) {
  const { config, stores, contracts, place, reviewer, shared, clock, home, telegram, slack, webhooks, report } =
    options;
  const { at = "08:15", zone: written, threshold, runner = "embedded", digest } = config;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const wrong = written === undefined ? undefined : timesFault({ cron: "0 0 * * *", zone: written }, clock.now());
  if (wrong !== undefined) report(`daily review: ${wrong}; ${local} is used instead`);
  const zone = written === undefined || wrong !== undefined ? local : written;
  const { events, governance, sessions } = stores;
  const steps = openReview({
    ...{ events, governance, contracts, clock, place, reviewer },
    thresholds: threshold === undefined ? {} : { confidence: threshold },
    deliver: async (record) => {
      if (webhooks !== undefined) await sendDigest(webhooks, { contracts, clock, report }, record);
      if (digest !== undefined)
        await deliverDigest({ contracts, clock, config: digest, home, telegram, slack, report }, record);
    },
  });
  const isOwn = runner === "embedded" || runner === "dbos";
  const holder = `gateway-${process.pid}-${clock.now()}`;
  const wanted = runner === "dbos" ? shared : undefined;
  if (runner === "dbos" && shared === undefined)
    report("daily review: runner dbos needs a store on PostgreSQL; it runs in this process instead");
  let dbos: Promise<DbosReview> | undefined;
  const open = async (place: NonNullable<typeof shared>) =>
    (await import("../../learning/runners/dbos-review.ts")).openDbosReview({ ...place, steps, report });
  const daily = new DailyReview({
    ...{ steps, events, governance, leases: sessions, holder, clock, at, zone, report },
    execute:
      wanted &&
      (async (name, now) => {
        dbos ??= open(wanted);
        const review = await dbos.catch((error: unknown) => {
          dbos = undefined;
          throw error;
        });
        return review.run(name, now);
      }),
  });
  return {
    /** The next automatic run, if any. */
    nextAt: (): number | undefined => (isOwn ? daily.nextAt : undefined),
    run: () => daily.run(),
    runs: () => pastRuns(governance),
    /** Does not wait for an overdue run, which may take a while. */
    start(): void {
      if (isOwn) void daily.look();
    },
    async close(): Promise<void> {
      await daily.close();
      await (await dbos?.catch(() => undefined))?.close();
    },
  };
}
