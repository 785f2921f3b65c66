import { clearMergeCache, countTokens, decode, encode, setMergeCacheSize } from "gpt-tokenizer/encoding/o200k_base";
import { logText, SAMPLE_TEXTS } from "../src/behavior/results/sample-texts.ts";
import { loadTokenizer } from "../src/behavior/results/tokens.ts";
import { ToolResultTruncator } from "../src/behavior/results/truncator.ts";

const BATCHES = 30;
const MEGABYTE = 1_000_000;
const PLAIN = { disallowedSpecial: new Set<string>() };

/** A text for us, and the part of it that the reference can finish: it is quadratic in runs, 10 MB of one would take days. */
type Case = { readonly name: string; readonly text: string; readonly reference: string };

const CASES: readonly Case[] = [
  sized("2 MB log", logText(2 * MEGABYTE), 2 * MEGABYTE),
  sized("10 MB one letter", sample("one letter"), 10_000),
  sized("10 MB spaces", sample("spaces"), 10_000),
  sized("10 MB base64", sample("base64"), 200_000),
  sized("10 MB emoji", sample("emoji"), 10_000),
  sized("10 MB CJK", sample("CJK"), 10_000),
];

/** Prints a table: ours on the whole text, beside it the plain encode-and-slice on what it can finish, in the same run. */
export async function run(): Promise<void> {
  const truncator = new ToolResultTruncator({ counter: await loadTokenizer("o200k") });
  setMergeCacheSize(1_000);
  console.log(`truncation, ${BATCHES} paired batches, ms as median (lower..upper quartile); budget 100 ms`);
  console.log(
    "Below its own limit the reference only counts. The ratio is of time per MB, and grows with the size of a run.",
  );
  console.log("| text | ours | reference: encode + slice | at size | reference / ours, per MB |");
  console.log("|---|---|---|---|---|");
  for (const { name, text, reference } of CASES) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      // Another start each time and an empty cache, so that nothing is remembered from the batch before.
      const fresh = text.slice(batch * 34);
      const pair = [
        () => ours.push(timed(() => truncator.truncate(fresh, "bench", { handle: "h" }))),
        () => theirs.push(timed(() => encodeAndSlice(reference, truncator.threshold, truncator.keep))),
      ];
      for (const one of batch % 2 === 0 ? pair : pair.reverse()) one();
    }
    const perMegabyte = quartiles(theirs).median / reference.length / (quartiles(ours).median / text.length);
    const size = reference.length >= MEGABYTE ? "the same" : `${reference.length / 1_000} KB`;
    console.log(`| ${name} | ${shown(ours)} | ${shown(theirs)} | ${size} | ${perMegabyte.toFixed(0)} |`);
  }
}

/** What seed 004 does, with this package. */
function encodeAndSlice(text: string, threshold: number, keep: number): string {
  if (countTokens(text, PLAIN) <= threshold) return text;
  return `${decode(encode(text, PLAIN).slice(0, keep))}\n\n[Output truncated]`;
}

function sized(name: string, text: string, reference: number): Case {
  return { name, text, reference: text.slice(0, reference) };
}

function sample(name: string): string {
  return SAMPLE_TEXTS[name]?.(10 * MEGABYTE) ?? "";
}

function timed(work: () => unknown): number {
  clearMergeCache();
  const before = performance.now();
  work();
  return performance.now() - before;
}

function quartiles(values: readonly number[]): { low: number; median: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

function shown(values: readonly number[]): string {
  const { low, median, high } = quartiles(values);
  return `${median.toFixed(1)} (${low.toFixed(1)}..${high.toFixed(1)})`;
}

if (import.meta.main) await run();
