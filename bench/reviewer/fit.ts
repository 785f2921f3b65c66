import { writeFileSync } from "node:fs";
import { contentWords } from "../../src/apps/learning/review/corrections/content-words.ts";
import { foldSentence } from "../../src/apps/learning/review/corrections/fold-sentence.ts";
import { ownSentences } from "../../src/apps/learning/review/corrections/own-sentences.ts";
import { readSentence } from "../../src/apps/learning/review/corrections/sentence-features.ts";
import type { ReviewerCase } from "./cases.ts";
import { DEVELOPMENT } from "./lots.ts";
import { PRIORS } from "./priors.ts";

/** A sentence of a case: its features, and what it asks for, if it does. */
type Row = { readonly features: readonly string[]; readonly type: string | null; readonly weight: number };

const TYPES = ["keep", "less", "more", "start", "stop"];
/** How strongly a weight is held to what it is taken for at first. */
const HELD = 2;
const ROUNDS = 400;
const STEP = 0.5;
/** A feature of fewer sentences is left out. */
const LEAST = 4;
/** What asks for nothing counts as several: a proposal that nobody asked for takes a person's time. */
const AGAINST = 2;
/** Weights smaller than this say nothing. */
const SMALLEST = 0.1;
const WIDEST = 150;
const WEIGHTS = new URL("../../src/apps/learning/review/corrections/tables/weights.ts", import.meta.url);

/** Fits the weights of the reviewer to the development cases and writes them down. `--without "blind 2"` leaves a lot out, to see what is found of it. */
function main(): void {
  const without = process.argv.includes("--without") ? process.argv[process.argv.indexOf("--without") + 1] : undefined;
  const rows = DEVELOPMENT.filter(({ name }) => name !== without).flatMap(({ cases, weight = 1 }) =>
    cases.flatMap(rowsOf).map((row) => ({ ...row, weight: row.weight * weight })),
  );
  const counts = new Map<string, number>();
  for (const feature of rows.flatMap(({ features }) => features)) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const names = [...counts]
    .filter(([, count]) => count >= LEAST)
    .map(([name]) => name)
    .sort();
  const wish = fitWeights(
    rows,
    names,
    ({ type }) => (type === null ? 0 : 1),
    2,
    (name) => {
      const prior = (PRIORS.get(name)?.wish ?? 0) / 2;
      return [-prior, prior];
    },
  );
  const asking = rows.filter(({ type }) => type !== null);
  const type = fitWeights(
    asking,
    names,
    (row) => TYPES.indexOf(row.type ?? ""),
    TYPES.length,
    (name) => TYPES.map((one) => PRIORS.get(name)?.types[one] ?? 0),
  );
  const wishes = ["bias", ...names].map((name, at) => [name, [(wish[1]?.[at] ?? 0) - (wish[0]?.[at] ?? 0)]] as const);
  const types = ["bias", ...names].map((name, at) => [name, type.map((weights) => weights[at] ?? 0)] as const);
  writeFileSync(
    WEIGHTS,
    `${HEAD}export const WISH_WEIGHTS = \`${lines(wishes)}\`;

/** The same by type: keep, less, more, start, stop. */
export const TYPE_WEIGHTS = \`${lines(types)}\`;
`,
  );
  console.log(`${rows.length} sentences, ${names.length} features`);
}

const HEAD = `// Written by bench/reviewer/fit.ts from the development cases; see docs/learning-corrections.md. Not written by hand.

/** What each feature of a sentence speaks for a wish that lasts (more than 0) or against it. \`w:\` is a single word. */
`;

/** Many to a line, parted by `|`. */
function lines(rows: readonly (readonly [string, readonly number[]])[]): string {
  const kept = rows.filter(([, weights]) => weights.some((weight) => Math.abs(weight) >= SMALLEST));
  const entries = kept.map(([name, weights]) =>
    [name, ...weights.map((weight) => Math.round(weight * 100) / 100 + 0)].join(" "),
  );
  let text = "";
  let line = "";
  for (const entry of entries) {
    if (line.length + entry.length > WIDEST) {
      text += `\n${line}`;
      line = "";
    }
    line += line === "" ? entry : ` | ${entry}`;
  }
  return `${text}\n${line}\n`;
}

/** The sentences of a case; of a planted one the sentence with the planted words is the one that asks. */
function rowsOf(one: ReviewerCase): readonly Row[] {
  const turns = "turns" in one ? one.turns : [one.text];
  const said = turns.flatMap((turn) =>
    typeof turn === "string" ? [turn] : turn.role === "user" || turn.role === "operator" ? [turn.text] : [],
  );
  const sentences = said.flatMap((text) => {
    const own = ownSentences(text).filter((sentence) => sentence.kind === "sentence");
    const folded = own.map((sentence) => foldSentence(sentence.masked, sentence.text));
    return folded.map((sentence, at) => {
      const before = folded[at - 1]?.text;
      const next = folded[at + 1]?.text;
      const read = readSentence(sentence, {
        ...(before === undefined ? {} : { before }),
        ...(next === undefined ? {} : { next }),
      });
      return { features: [...read.features], share: shareOf(own[at]?.text ?? "", one.planted?.about ?? "") };
    });
  });
  if (one.planted === null) return sentences.map(({ features }) => ({ features, type: null, weight: AGAINST }));
  const most = Math.max(...sentences.map(({ share }) => share));
  const asking = sentences.findIndex(({ share }) => share === most && share >= 0.5);
  const { type } = one.planted;
  return asking < 0
    ? []
    : sentences.map(({ features }, at) =>
        at === asking ? { features, type, weight: 1 } : { features, type: null, weight: 1 },
      );
}

/** How much of what a case is about stands in a sentence; 2 where it stands there word for word. */
function shareOf(sentence: string, about: string): number {
  if (about === "") return 0;
  if (sentence.toLowerCase().includes(about.toLowerCase())) return 2;
  const wanted = [...contentWords(about)];
  const there = new Set([...contentWords(sentence), ...sentence.toLowerCase().split(/[^\p{L}\p{N}]+/u)]);
  return wanted.filter((word) => there.has(word)).length / Math.max(1, wanted.length);
}

/** Multinomial logistic regression by gradient descent with a step of its own for each weight; deterministic. */
function fitWeights(
  rows: readonly Row[],
  names: readonly string[],
  classOf: (row: Row) => number,
  classes: number,
  prior: (name: string) => readonly number[],
): readonly Float64Array[] {
  const place = new Map(names.map((name, at) => [name, at + 1]));
  const inputs = rows.map(({ features }) => [0, ...features.flatMap((name) => place.get(name) ?? [])]);
  const priors = Array.from({ length: classes }, (_, one) =>
    Float64Array.from([0, ...names.map((name) => prior(name)[one] ?? 0)]),
  );
  const weights = priors.map((one) => Float64Array.from(one));
  const squares = priors.map((one) => new Float64Array(one.length).fill(1e-6));
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = weights.map((own, one) =>
      own.map((weight, at) => (at === 0 ? 0 : HELD * (weight - (priors[one]?.[at] ?? 0)))),
    );
    for (const [at, row] of rows.entries()) {
      const input = inputs[at] ?? [];
      const shares = softmax(weights.map((own) => input.reduce((sum, feature) => sum + (own[feature] ?? 0), 0)));
      for (const [one, slope] of slopes.entries()) {
        const error = ((shares[one] ?? 0) - (classOf(row) === one ? 1 : 0)) * row.weight;
        for (const feature of input) slope[feature] = (slope[feature] ?? 0) + error;
      }
    }
    for (const [one, own] of weights.entries())
      for (let at = 0; at < own.length; at++) {
        const slope = slopes[one]?.[at] ?? 0;
        const square = (squares[one]?.[at] ?? 0) + slope * slope;
        (squares[one] as Float64Array)[at] = square;
        own[at] = (own[at] ?? 0) - (STEP * slope) / Math.sqrt(square);
      }
  }
  return weights;
}

function softmax(sums: readonly number[]): readonly number[] {
  const most = Math.max(...sums);
  const powers = sums.map((sum) => Math.exp(sum - most));
  const all = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / all);
}

if (import.meta.main) main();
