import { clearMergeCache, countTokens, decode, encode, setMergeCacheSize } from "gpt-tokenizer/encoding/o200k_base";
import { logText, SAMPLE_TEXTS } from "../src/behavior/results/test/sample-texts.ts";
import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { ToolResultTruncator } from "../src/behavior/results/truncator.ts";
import type { CompareOptions } from "./harness.ts";
import { type Benchmark, main, type Report } from "./report.ts";

const MEGABYTE = 1_000_000;
const PLAIN = { disallowedSpecial: new Set<string>() };

export const truncation: Benchmark = {
  name: "truncation",
  about: [
    "One result cut to its share of a 128,000 token window. The reference is what seed 004 does: encode all of it, keep the first tokens.",
    "The reference is quadratic in runs of one kind of character, 10 MB of one would take days: it gets a part, and the ratio is of time per byte.",
    "MB counts UTF-16 units, as JavaScript does: 10 MB of CJK are 30 MB of UTF-8.",
    "Each batch is one text with another start and an empty cache, so that nothing is remembered from the batch before.",
  ],
  run,
};

/** A text for us, and the part of it that the reference can process. */
type Case = { readonly name: string; readonly text: string; readonly reference: string };

function cases(): readonly Case[] {
  return [
    sized("2 MB log", logText(2 * MEGABYTE), 2 * MEGABYTE),
    sized("10 MB one letter", sample("one letter"), 10_000),
    sized("10 MB spaces", sample("spaces"), 10_000),
    sized("10 MB base64", sample("base64"), 200_000),
    sized("10 MB emoji", sample("emoji"), 10_000),
    sized("10 MB CJK", sample("CJK"), 10_000),
    sized("10 MB random letters", sample("random letters"), 10_000),
  ];
}

async function run(report: Report): Promise<void> {
  const truncator = new ToolResultTruncator({ counter: await loadTokenizer("o200k") });
  setMergeCacheSize(1_000);
  const rows = cases().map((one) => row(one, truncator));
  const done = await report.group("truncation", { ours: "ours", reference: "encode + slice, of a part" }, rows);
  const slowest = done.toSorted((a, b) => b.ours.spread.median - a.ours.spread.median)[0];
  if (slowest === undefined) return;
  const budget = `design.md: truncating any 10 MB string (slowest here: ${slowest.name})`;
  report.budget(budget, 100_000, slowest.ours.spread.median, "time");
}

function row({ name, text, reference }: Case, truncator: ToolResultTruncator): CompareOptions {
  let fresh = text;
  const part = reference.length < text.length ? `, ${reference.length / 1_000} KB for the reference` : "";
  return {
    name: `${name}${part}`,
    ours: {
      prepare: (batch) => {
        fresh = text.slice((batch + 1) * 34);
        clearMergeCache();
      },
      run: () => truncator.truncate(fresh, "bench", { handle: "h" }),
    },
    reference: {
      prepare: () => clearMergeCache(),
      run: () => encodeAndSlice(reference, truncator.threshold, truncator.keep),
    },
    perBatch: 1,
    work: { ours: text.length, reference: reference.length },
  };
}

/** Does the same as seed 004, with this package. Below its limit it only counts. */
function encodeAndSlice(text: string, threshold: number, keep: number): string {
  if (countTokens(text, PLAIN) <= threshold) return text;
  return `${decode(encode(text, PLAIN).slice(0, keep))}\n\n[Output truncated]`;
}

function sized(name: string, text: string, reference: number): Case {
  return { name, text, reference: text.slice(0, reference) };
}

function sample(name: string): string {
  const make = SAMPLE_TEXTS[name];
  if (make === undefined) throw new Error(`there is no sample text '${name}'`);
  return make(10 * MEGABYTE);
}

if (import.meta.main) await main(truncation);
