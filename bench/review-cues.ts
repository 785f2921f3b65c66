import { readFileSync } from "node:fs";
import { findCorrections } from "../src/apps/learning/review/cues/find-corrections.ts";
import type { SaidMessage } from "../src/apps/learning/review/said.ts";
import { type Finding, REVIEW_THRESHOLDS } from "../src/apps/learning/review/steps.ts";
import type { DirectiveType } from "../src/base/words/contract.ts";
import { table } from "./show.ts";

type Turn = string | { readonly role: string; readonly text: string };
/** `planted: null`: nothing may be proposed. `about`: words of the sentence to find. */
type Case = {
  readonly text?: string;
  readonly turns?: readonly Turn[];
  readonly planted: { readonly type: DirectiveType; readonly about: string } | null;
};
type Score = {
  readonly cases: number;
  readonly planted: number;
  readonly proposed: number;
  readonly right: number;
  readonly rightType: number;
};

const SAMPLE = new URL("./review-cues.jsonl", import.meta.url);

/**
 * `npm run bench:review [-- --data FILE --json --show]`: measures how many sentences that the review proposes without
 * a model are really standing wishes. FILE contains one JSON case per line, or one JSON array. Precision matters most,
 * because misses are left to the model.
 */
function main(args: readonly string[]): void {
  const at = args.indexOf("--data");
  const file = at < 0 ? SAMPLE : args[at + 1];
  if (file === undefined) throw new Error("--data needs a file: npm run bench:review -- --data cases.jsonl");
  const { score, wrong } = scoreCases(readCases(readFileSync(file, "utf8")));
  const precision = share(score.right, score.proposed);
  const figures = {
    ...score,
    precision,
    precisionOfType: share(score.rightType, score.proposed),
    recall: share(score.right, score.planted),
  };
  if (args.includes("--json")) {
    console.log(JSON.stringify({ benchmark: "review-cues", ...figures, wrong }));
    return;
  }
  console.log(
    table(
      ["", "value"],
      Object.entries(figures).map(([name, value]) => [name, Number.isInteger(value) ? `${value}` : value.toFixed(3)]),
    ),
  );
  console.log(`precision ${precision.toFixed(3)}: ${precision >= 0.95 ? "met" : "NOT MET"} (at least 0.95)`);
  if (args.includes("--show")) for (const line of wrong) console.log(`  wrong: ${line}`);
}

function readCases(text: string): readonly Case[] {
  const cases: unknown = text.trimStart().startsWith("[")
    ? JSON.parse(text)
    : text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line));
  return cases as readonly Case[];
}

function scoreCases(cases: readonly Case[]): { readonly score: Score; readonly wrong: readonly string[] } {
  const tally = { cases: cases.length, planted: 0, proposed: 0, right: 0, rightType: 0 };
  const wrong: string[] = [];
  for (const [at, one] of cases.entries()) {
    const found = findCorrections(messagesOf(one, at), { least: REVIEW_THRESHOLDS.confidence });
    const about = one.planted?.about;
    const right = about === undefined ? undefined : found.find((finding) => isAbout(finding, about));
    if (one.planted !== null) tally.planted += 1;
    tally.proposed += found.length;
    if (right !== undefined) tally.right += 1;
    if (right !== undefined && right.type === one.planted?.type) tally.rightType += 1;
    for (const other of found) if (other !== right) wrong.push(`${other.type.toUpperCase()}: ${other.text}`);
  }
  return { score: tally, wrong };
}

/** The quote contains the planted words, or half of them if the label paraphrases it. */
function isAbout({ evidence }: Finding, about: string): boolean {
  const said = evidence
    .map(({ quote }) => quote)
    .join(" ")
    .toLowerCase();
  if (said.includes(about.toLowerCase())) return true;
  const words = about.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.length > 0 && words.filter((word) => said.includes(word.slice(0, 5))).length * 2 >= words.length;
}

function messagesOf({ text, turns = text === undefined ? [] : [text] }: Case, at: number): readonly SaidMessage[] {
  const session = `case-${at}`;
  return turns
    .filter((turn) => typeof turn === "string" || (turn.role !== "agent" && turn.role !== "assistant"))
    .map((turn, place) => ({
      session,
      event: `${session}-${place}`,
      at: place,
      text: typeof turn === "string" ? turn : turn.text,
      user: "ann",
      agent: "helper",
      channel: "web",
      role: "user",
    }));
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

main(process.argv.slice(2));
