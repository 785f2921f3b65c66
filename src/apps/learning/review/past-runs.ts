import { isObject } from "../../../base/kernel/json.ts";
import type { GovernanceEntry, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { REVIEWER, type ReviewRecord, type ReviewWindow, recordBody } from "./steps.ts";

const REVIEW_RAN = "review.ran";

const PAGE = 500;
const TRIES = 100;

/** All finished runs, oldest first. */
export async function pastRuns(governance: GovernanceJournal): Promise<readonly ReviewRecord[]> {
  const runs: ReviewRecord[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await governance.read({
      from,
      kinds: [REVIEW_RAN],
      limit: PAGE,
    });
    runs.push(...page.entries.map(readRun));
    from = page.next;
  }
  return runs;
}

/**
 * Appends the record, unless one exists for any part of its window: then that one is returned. The journal rejects an
 * append after a concurrent write, so only one of two runners writes.
 */
export async function keepRun(governance: GovernanceJournal, record: ReviewRecord): Promise<ReviewRecord> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { seq } = await governance.head();
    const there = (await pastRuns(governance)).find(({ window }) => overlap(window, record.window));
    if (there !== undefined) return there;
    const draft = { at: record.at, by: REVIEWER, kind: REVIEW_RAN, body: recordBody(record) };
    if ((await governance.append(seq, [draft])) !== "moved") return record;
  }
  throw new Error("the governance journal changed during every attempt, so the review is not finished. Run it again");
}

function overlap(a: ReviewWindow, b: ReviewWindow): boolean {
  return a.after < b.upTo && b.after < a.upTo;
}

/** Throws for a record without a readable window: its events would be reviewed twice or never. */
function readRun({ seq, body }: GovernanceEntry): ReviewRecord {
  const window = isObject(body) && isObject(body.window) ? body.window : {};
  if (!Number.isSafeInteger(window.after) || !Number.isSafeInteger(window.upTo))
    throw new Error(`entry ${seq} (${REVIEW_RAN}) of the governance journal is damaged: run conduct journal verify`);
  return body as unknown as ReviewRecord;
}
