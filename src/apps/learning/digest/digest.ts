import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Candidate } from "../../../base/words/contract.ts";
import { type ContractState, candidateAt, isOpen } from "../../../behavior/contract/contract-state.ts";
import { isOver } from "../../../behavior/contract/iso-time.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";
import { readEvidence } from "../review/evidence.ts";
import type { ReviewRecord } from "../review/steps.ts";

/** Maximum of quotes shown; a command shows the rest. */
const QUOTES = 3;
const QUOTE_CHARS = 300;
const PATTERNS = 10;

/**
 * Renders the digest as Markdown. No line starts like a directive and quotes follow `>`, so that pasting it into a
 * chat sets nothing.
 */
export function renderDigest({ record, items, rules }: Digest, now: number): string {
  const fresh = items.filter(({ isNew }) => isNew);
  const waiting = items.filter(({ isNew }) => !isNew);
  return [
    `# Daily review · ${new Date(record?.at ?? now).toISOString().slice(0, 10)}\n`,
    record === undefined ? undefined : `${summary(record, fresh.length, waiting.length)}\n`,
    ...(fresh.length === 0 ? [] : ["## Proposed\n", ...fresh.map(renderItem)]),
    ...(waiting.length === 0 ? [] : ["## Still waiting\n", ...waiting.map(renderItem)]),
    items.length === 0 ? "Nothing waits for a decision.\n" : undefined,
    ...patterns("What went well", record?.good_patterns ?? []),
    ...patterns("What did not go well", record?.bad_patterns ?? []),
    ...(rules.length === 0 ? [] : ["## Rules whose time in shadow is over\n", ...rules.map(ruleLine), ""]),
  ]
    .filter((part) => part !== undefined)
    .join("\n");
}

function summary(
  { sessions, messages, decisions, window, model }: NonNullable<Digest["record"]>,
  fresh: number,
  waiting: number,
): string {
  const [from, to] = [window.from, window.to].map(
    (at) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`,
  );
  const seen = `${count(sessions, "session")}, ${count(messages, "message")} and ${count(decisions, "decision")} from ${from} to ${to}.`;
  const said = `${count(fresh, "proposal")} new, ${waiting} waiting.`;
  const reviewer =
    model === undefined
      ? ""
      : model.fault === undefined
        ? ` ${plain(model.name)} helped.`
        : ` ${plain(model.name)} could not help: ${plain(model.fault)}.`;
  return `${seen} ${said}${reviewer}`;
}

function renderItem({ candidate, would, evidence }: DigestItem): string {
  const { id, confidence, scope, demotes } = candidate;
  const blocked = candidate.status === "pending" ? candidate.blocked : undefined;
  const name = demotes === undefined ? "" : "drop ";
  const more =
    evidence.length > QUOTES ? [`> … and ${evidence.length - QUOTES} more: \`conduct review show ${id}\``] : [];
  return [
    `**${id}** · ${name}\`${code(writeDirective(candidate))}\``,
    `confidence ${confidence.toFixed(2)} · ${plain(scope)} · ${plain(would)}`,
    ...evidence.slice(0, QUOTES).map(({ quote, session }) => {
      const where = session === undefined ? "" : ` (${plain(session)})`;
      const cut = cutGraphemes(quote, QUOTE_CHARS);
      return `> “${plain(cut)}${cut === quote ? "" : " …"}”${where}`;
    }),
    ...more,
    ...(blocked === undefined ? [] : [`cannot be promoted yet: ${plain(blocked)}`]),
    `\`conduct behavior promote ${id}\` · \`conduct behavior reject ${id} --reason "…"\` · \`conduct behavior snooze ${id} 3d\``,
    "",
  ].join("\n");
}

function patterns(title: string, list: readonly { readonly text: string; readonly candidate?: string }[]) {
  if (list.length === 0) return [];
  const lines = list.slice(0, PATTERNS).map(({ text, candidate }) => {
    return `- ‘${plain(text)}’${candidate === undefined ? "" : ` (${candidate})`}`;
  });
  return [`## ${title}\n`, ...lines, ""];
}

function ruleLine(id: string): string {
  return `- ${plain(id)}: \`conduct rules list\` shows what it would have blocked; \`conduct rules enforce ${id}\` or \`conduct rules remove ${id}\``;
}

function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? "" : "s"}`;
}

/** Untrusted text on one line, without anything that Markdown or a terminal would interpret. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\\`*_{}[\]<>#|]/g, "\\$&")
    .trim();
}

/** In a code span only backticks must be removed. */
function code(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll("`", "'");
}

export type DigestItem = {
  readonly candidate: Candidate;
  /** Its effect on the contract, in one line. */
  readonly would: string;
  readonly evidence: readonly { readonly quote: string; readonly session?: string; readonly event?: string }[];
  /** True if this run created the candidate. */
  readonly isNew: boolean;
};

/** The operator's summary after a run: waiting candidates, observations, and results of shadow rules. */
export type Digest = {
  readonly record?: ReviewRecord;
  readonly items: readonly DigestItem[];
  /** Standing rules whose shadow period is over. */
  readonly rules: readonly string[];
};

/** Leaves out snoozed candidates. Highest confidence first. */
export function buildDigest(state: ContractState, now: number, record?: ReviewRecord): Digest {
  const fresh = new Set([...(record?.proposed ?? []), ...(record?.merged ?? [])]);
  const items = [...state.candidates]
    .map(([, one]) => candidateAt(one, now))
    .filter((one) => isOpen(one) && one.status === "pending" && !isOver(one.expiresAt, now))
    .map((candidate) => digestItem(candidate, fresh.has(candidate.id)))
    .sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.candidate.confidence - a.candidate.confidence);
  const rules = [...state.rules].flatMap(([id, rule]) =>
    rule.status === "shadow" && isOver(rule.until, now) ? [id] : [],
  );
  return { record, items, rules };
}

export function digestItem(candidate: Candidate, isNew = false): DigestItem {
  const line = writeDirective(candidate);
  const where = candidate.scope === "global" ? "everybody" : candidate.scope;
  const would =
    candidate.demotes === undefined ? `would add for ${where}: ${line}` : `would remove ${candidate.demotes}: ${line}`;
  const evidence = candidate.evidence.map((written) => readEvidence(written) ?? { quote: written });
  return { candidate, would, evidence, isNew };
}
