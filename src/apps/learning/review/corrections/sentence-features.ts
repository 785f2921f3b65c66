import { type Clause, clausesOf } from "./clauses.ts";
import { constructionsOf } from "./constructions.ts";
import { type Core, coreOf, moodOf } from "./core-clause.ts";
import type { Folded } from "./fold-sentence.ts";
import { addAmounts, addObject, addThings } from "./object-features.ts";
import type { Hit } from "./phrase-table.ts";
import { findSigns, firstWays, isRemark } from "./sentence-signs.ts";
import { QUOTED, type Token, tokensOf } from "./tokens.ts";

/** A sentence, read: its words, its clauses, which signs stand where, and the names of all features that it has. */
export type ReadSentence = {
  readonly folded: Folded;
  readonly tokens: readonly Token[];
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  readonly hits: readonly Hit[];
  readonly features: ReadonlySet<string>;
};

/** What stands around a sentence in its message. */
export type Around = { readonly before?: string; readonly next?: string };

/** One file, one path, one number: a particular thing. */
const NAMED =
  /\b[\w-]+\.(?:ts|js|py|md|json|ya?ml|go|rs|java|css|html|txt|sql|sh|env|csv|toml)\b|(?:^|\s)[~.]{0,2}\/[\w./-]+|\b\w+_\w+\b|#\d+|\b\d{4,}\b|\b\w+\(\)/;
/** The kinds of a clause that names what is done, or not. */
const ACTED = new Set(["do", "dont", "stop", "no", "needless", "dislike", "keeps", "keep"]);
/** Signs that are looked at together with the way in which the sentence begins. */
const CROSSED =
  "lasting always never each once you your me condition unasked no_need too too_many less more praise keep again should instead third product please speech work dislike the-thing pointed named capital first ordinal reported hypothetical narrated want style to_me from_you your-work excess brief calendar such".split(
    " ",
  );
/** Signs that hold only for the clause in which they stand. */
const INNER = new Set(["third", "product", "reported", "narrated", "ordinal", "named", "once", "should", "me", "work"]);
/** Signs that are weighed only by what they stand with. */
const UNWEIGHED = new Set(["the", "pointed", "habitual"]);
/** Reads a folded sentence. Pure and linear. */
export function readSentence(folded: Folded, around: Around = {}): ReadSentence {
  const tokens = tokensOf(folded);
  const words = tokens.map(({ word }) => word);
  const clauses = clausesOf(words);
  const hits = findSigns(words);
  const features = new Set<string>();
  const core = coreOf(clauses, words.length);
  const within = ({ from }: Hit): boolean => from >= core.from && from < core.to;
  for (const hit of hits)
    if (!UNWEIGHED.has(hit.name)) features.add(within(hit) || !INNER.has(hit.name) ? hit.name : `beside:${hit.name}`);
  if (features.has("calendar")) features.delete("once");
  addForm(features, folded, words);
  addClauses(features, words, clauses, core);
  const inner = hits.filter(within);
  addThings(features, words, inner);
  addAmounts(features, words, hits);
  const has = (name: string, from = 0, to = words.length): boolean =>
    inner.some((hit) => hit.name === name && hit.from >= from && hit.from < to);
  const says = (name: string): boolean => hits.some((hit) => hit.name === name);
  const own = words.map((word, at) => (at >= core.from && at < core.to ? word : ""));
  for (const construction of constructionsOf({ words: own, clauses: core.clauses, has, says, hits: inner }))
    features.add(construction);
  const mood = moodOf(features, core);
  features.add(`main:${core.main.kind}`).add(`mood:${mood}`);
  for (const sign of CROSSED) if (features.has(sign)) features.add(`${mood}+${sign}`);
  for (const sign of firstWays(inner)) features.add(sign);
  for (const word of words) if (/^\p{L}/u.test(word)) features.add(`w:${word}`);
  if (isRemark(words, hits)) features.add("only-a-remark");
  addAround(features, around);
  return { folded, tokens, words, clauses, hits, features };
}

function addForm(features: Set<string>, folded: Folded, words: readonly string[]): void {
  const text = folded.text.trimEnd();
  const count = words.length;
  features.add(
    count <= 3
      ? "words:1-3"
      : count <= 6
        ? "words:4-6"
        : count <= 12
          ? "words:7-12"
          : count <= 20
            ? "words:13-20"
            : "words:21+",
  );
  if (text.endsWith("?")) features.add("asked");
  if (text.endsWith("!")) features.add("exclaimed");
  if (words.includes(QUOTED)) features.add("quotes");
  const written = folded.cut(0);
  if (NAMED.test(written)) features.add("named");
  if (/[\p{Ll},] \p{Lu}[\p{Ll}]/u.test(written.replaceAll("I'", "i'"))) features.add("capital");
}

function addClauses(features: Set<string>, words: readonly string[], clauses: readonly Clause[], core: Core): void {
  for (const clause of clauses) {
    if (clause !== core.main) features.add(`beside:${clause.kind}-clause`);
  }
  for (const frame of core.main.frames) features.add(`frame:${frame}`);
  if (ACTED.has(core.main.kind)) addObject(features, words, core.main);
  if (features.has("asked") && !features.has("frame:polite")) features.add("asked:plain");
  if (features.has("frame:polite") && features.has("asked")) features.add("asked:politely");
}

/** A short sentence after it may say that it lasts, or that it was said before; one before it may name what it is about. */
function addAround(features: Set<string>, { before, next }: Around): void {
  if (next !== undefined && next.length < 80) {
    const signs = new Set(findSigns(tokensOf({ text: next }).map(({ word }) => word)).map(({ name }) => name));
    for (const sign of ["lasting", "always", "never", "again", "keep", "stop", "praise", "dislike"])
      if (signs.has(sign)) features.add(`next:${sign}`);
    if (signs.has("keep") && features.has("praise")) features.add("praised-to-keep");
    if (next.endsWith("?")) features.add("next:asked");
  }
  if (before !== undefined) {
    const signs = new Set(findSigns(tokensOf({ text: before }).map(({ word }) => word)).map(({ name }) => name));
    for (const sign of ["praise", "too", "dislike", "your", "you", "stop"])
      if (signs.has(sign)) features.add(`before:${sign}`);
    if (signs.has("praise") && (features.has("such") || features.has("keep"))) features.add("keeps-praised");
    if (before.endsWith(":")) features.add("before:colon");
  }
}
