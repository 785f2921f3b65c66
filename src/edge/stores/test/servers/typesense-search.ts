import { type Answer, type Field, problem, type Row } from "./typesense.ts";

/** The most hits of a page. */
const MAX_HITS = 250;
/** The most fields in `sort_by`. */
const MAX_SORTS = 3;
const NUMBERS = new Set(["int32", "int64", "float"]);

/** Answers a search as Typesense does, or with its error for a field that cannot be searched, filtered or sorted. */
export function findRows(fields: readonly Field[], rows: readonly Row[], query: URLSearchParams): Answer {
  const q = query.get("q");
  const by = (query.get("query_by") ?? "").split(",").filter((name) => name !== "");
  if (q === null) return problem(400, "Parameter `q` is required.");
  if (by.length === 0 && q !== "*") return problem(400, "No search fields specified for the query.");
  for (const name of by) {
    const field = fields.find((one) => one.name === name);
    if (field === undefined || field.index === false)
      return problem(404, `Could not find a field named \`${name}\` in the schema.`);
    if (!field.type.startsWith("string"))
      return problem(400, `Field \`${name}\` should be a string or a string array.`);
  }
  const perPage = Number(query.get("per_page") ?? 10);
  if (!Number.isInteger(perPage) || perPage < 0)
    return problem(400, "Parameter `per_page` must be an unsigned integer.");
  if (perPage > MAX_HITS) return problem(422, `Only upto ${MAX_HITS} hits can be fetched per page.`);
  const filter = readFilter(fields, query.get("filter_by") ?? "");
  if ("status" in filter) return filter;
  const sorts = readSorts(fields, query.get("sort_by") ?? "_text_match:desc");
  if ("status" in sorts) return sorts;
  const { words, excluded, phrases } = readWords(q);
  const limits = {
    prefix: query.get("prefix") !== "false" ? expansions(rows, by, words.at(-1), mostCandidates(query)) : undefined,
    // Rows that lack words are found only while fewer rows than this have all of them.
    drop: Number(query.get("drop_tokens_threshold") ?? 1),
  };
  if (query.get("num_typos") !== "0") return problem(400, "This stand-in forgives no typing errors: send num_typos=0.");
  const textsOf = (row: Row) => by.map((name) => tokensOf(String(row[name] ?? "")));
  const passing = rows.filter(
    (row) =>
      filter.passes(row) &&
      textsOf(row).every((tokens) => !tokens.some((token) => excluded.includes(token))) &&
      phrases.every((phrase) => textsOf(row).some((tokens) => tokens.some((_, at) => isPhraseAt(tokens, phrase, at)))),
  );
  const found = q === "*" ? passing.map((row) => ({ row, score: 0 })) : matches(passing, words, by, limits);
  found.sort((a, b) => {
    for (const { name, sign } of sorts.order) {
      const order = name === "_text_match" ? a.score - b.score : Number(a.row[name]) - Number(b.row[name]);
      if (order !== 0) return order * sign;
    }
    return 0;
  });
  const hits = found.slice(0, perPage).map(({ row, score }) => ({ document: row, text_match: score }));
  return { status: 200, body: { found: found.length, out_of: rows.length, page: 1, hits } };
}

/** A word after a hyphen excludes its rows, and words in double quotes must stand next to each other. */
function readWords(q: string) {
  const phrases = [...q.matchAll(/"([^"]*)"/g)].map(([, phrase = ""]) => tokensOf(phrase));
  const written = q.replaceAll('"', " ").split(/\s+/);
  const excluded = written.filter((word) => /^-\S/.test(word)).flatMap(tokensOf);
  return { words: tokensOf(written.filter((word) => !word.startsWith("-")).join(" ")), excluded, phrases };
}

function isPhraseAt(tokens: readonly string[], phrase: readonly string[], at: number): boolean {
  return phrase.every((word, next) => tokens[at + next] === word);
}

/** How many words of the index the last word is completed to. */
function mostCandidates(query: URLSearchParams): number {
  const fallback = query.get("exhaustive_search") === "true" ? 10_000 : 4;
  return Number(query.get("max_candidates") ?? fallback);
}

function expansions(rows: readonly Row[], by: readonly string[], word: string | undefined, most: number) {
  const all = rows.flatMap((row) => by.flatMap((name) => tokensOf(String(row[name] ?? ""))));
  const completed = [...new Set(all)].filter((token) => word !== undefined && token.startsWith(word));
  return new Set(completed.slice(0, most));
}

/** Letters and digits in lower case, split at spaces; other characters are dropped. */
function tokensOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/[^\p{L}\p{N}\p{M}]/gu, ""))
    .filter((word) => word !== "");
}

type Scored = { readonly row: Row; readonly score: number };
/** `prefix`: what the last word is completed to. */
type Limits = { readonly prefix: ReadonlySet<string> | undefined; readonly drop: number };

function matches(rows: readonly Row[], words: readonly string[], by: readonly string[], limits: Limits): Scored[] {
  const found = rows.flatMap((row) => scored(row, words, by, limits.prefix));
  if (found.length >= limits.drop || words.length <= 1) return found;
  return matches(rows, words.slice(0, -1), by, limits);
}

/** The score counts words in one field first, then whether they are adjacent, then how early the field is listed. */
function scored(
  row: Row,
  words: readonly string[],
  by: readonly string[],
  prefix: Limits["prefix"],
): readonly Scored[] {
  const texts = by.map((name) => tokensOf(String(row[name] ?? "")));
  const isAt = (token: string | undefined, at: number) =>
    token !== undefined && (prefix !== undefined && at === words.length - 1 ? prefix.has(token) : token === words[at]);
  if (!words.every((_, at) => texts.some((tokens) => tokens.some((token) => isAt(token, at))))) return [];
  const scores = texts.map((tokens, field) => {
    const count = words.filter((_, at) => tokens.some((token) => isAt(token, at))).length;
    const isVerbatim = tokens.some((_, start) => words.every((_word, at) => isAt(tokens[start + at], at)));
    return count === 0 ? 0 : count * 1_000 + (isVerbatim ? 100 : 0) + (by.length - field);
  });
  return [{ row, score: Math.max(...scores) }];
}

function readFilter(fields: readonly Field[], written: string): { passes(row: Row): boolean } | Answer {
  if (written === "") return { passes: () => true };
  const [, name, value = ""] = /^(\w+):=(\w+)$/.exec(written) ?? [];
  if (name === undefined) return problem(400, "Could not parse the filter query.");
  const field = fields.find((one) => one.name === name);
  if (field === undefined || field.index === false)
    return problem(404, `Could not find a filter field named \`${name}\` in the schema.`);
  return { passes: (row) => String(row[name]) === value };
}

type Sort = { readonly name: string; readonly sign: 1 | -1 };

/** Numbers can be sorted by; a string field only if its schema says `sort: true`. */
function readSorts(fields: readonly Field[], written: string): { readonly order: readonly Sort[] } | Answer {
  const order: Sort[] = [];
  for (const part of written.split(",")) {
    const [, name = "", direction] = /^(\w+):(asc|desc)$/i.exec(part.trim()) ?? [];
    if (direction === undefined) return problem(400, "Parameter `sort_by` is malformed.");
    const field = fields.find((one) => one.name === name);
    const isSortable = field !== undefined && field.index !== false && (NUMBERS.has(field.type) || field.sort === true);
    if (name !== "_text_match" && !isSortable)
      return problem(404, `Could not find a field named \`${name}\` in the schema for sorting.`);
    order.push({ name, sign: direction.toLowerCase() === "asc" ? 1 : -1 });
  }
  return order.length > MAX_SORTS ? problem(422, `Only upto ${MAX_SORTS} sort_by fields can be specified.`) : { order };
}
