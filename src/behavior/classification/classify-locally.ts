import { cutGraphemes } from "../../base/kernel/text.ts";
import type { SessionClassification, SessionComplexity, SessionTopic } from "../../base/words/classification.ts";
import { COMPLEXITIES, cleanLabel, cutMessage, DOMAIN_MAX, FLAGS_MAX, LABEL_MAX, TOPICS } from "./classification.ts";
import * as known from "./local-words.ts";

const MESSAGES = 4;
/** A topic or domain with less weight than this is not given. */
const ENOUGH = 2;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_+#]*(?:['’-][\p{L}\p{N}]+)*/gu;
const FILE = /(?<![\w.])(?:[\w-]{1,60}\.){1,4}[a-z][a-z0-9]{0,9}(?!\w)|(?<![\w.])\.[a-z]{3,20}(?!\w)/g;
const IDENTIFIER = /\b[a-z]+[A-Z]\w{0,40}\b|\b[a-z]{2,30}_\w{1,40}\b|\b\w{1,40}\(\)|`[^`\n]{1,60}`/;
const ERROR =
  /^Traceback \(most|\bat [\w$.<>]{1,120} ?\([^()\n]{1,200}:\d|^(?:[\w ]{1,20}: )?(?:fatal|error|panic)(?:\[\w{1,12}\])?:|^\w{1,60}(?:Error|Exception)\b|\w(?:Error|Exception)[:(]|\bE(?:RESOLVE|CONNREFUSED|NOENT|ACCES)\b/im;
const OPS_COMMAND =
  /^(?:\$ )?(?:kubectl|helm|docker|systemctl|ssh|terraform|df|ps) |\b(?:web|db|app|worker|node|server|cache)-?\d{1,4}\b/m;
const ARITHMETIC = /\d ?% of \d|\d ?[-+*/×÷^] ?\d{1,12} ?(?:=|\?|$)|\bsqrt\(/m;
const DESTRUCTIVE =
  /\brm -[a-z]{0,4}[rf]|\bdrop (?:table|database|schema)\b|\bgit push (?:-f\b|--force)|\bgit reset --hard|\b(?:kubectl delete|terraform destroy|truncate table|mkfs)\b|\bdd if=/i;
const MANY =
  /\b(?:[2-9]|\d{2,6}|dozens of|hundreds of|several|many|multiple|all) (?:other )?(?:files|services|modules|components|packages|repos|tables|servers)\b/i;
const ENGLISH =
  /^(?:the|an?|to|of|and|is|are|was|my|i|you|your|we|it|this|that|with|for|on|in|what|can|do|does|not|me)$/;
const ASKING = /^(?:what|who|when|where|which|how|why|is|are|was|were|do|does|did|can|could|should|has|have|any)\b/;
const COURTESY = /^(?:(?:please|hey|hi|hello|ok|so|now|also|just|(?:can|could|would|will) (?:you|we))\s+)+/;
const WISH = /^(?:i|we)(?:'d| would| want| need)\b|^(?:\w+ ){1,4}(?:needs?|should|must) (?!i\b)|^(?:help|let's)\b/;
const OWN = /\b(?:i|i'm|my|me|you)\b/;
const GREETING =
  /^(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks|thank you|okay|ok|so|well)(?: (?:there|all|again))?\s*(?:[,.!:;)]|$)+\s*/i;
const POLITE =
  /^(?:please|(?:can|could|would|will) you(?: please)?|i(?:'d like| need| want) you to|help me(?: to)?|let's)\s+/i;
const DANGLING = /(?: (?:and|or|but|the|an?|to|of|in|on|at|for|with|by|from|if|that|it|is|are))+$/i;

export const LOCAL_DOMAINS: readonly string[] = [
  ...new Set([...known.DOMAINS.values()].flatMap((weights) => [...weights.keys()])),
];
/** The most serious first: only two are given. */
export const LOCAL_FLAGS = ["destructive", "production", "security-sensitive", "personal-data", "multi-file"] as const;

type Reading = ReturnType<typeof readConversation>;
type Scores = { readonly weights: ReadonlyMap<string, number>; add(value: string, weight: number): void };

/**
 * `local/rules`: weighs words, error output, code, files and commands. It needs no model and always gives the same answer
 * for the same text. It reads English; of other languages it knows only technical words.
 */
export function classifyLocally(conversation: readonly string[]): SessionClassification {
  const reading = readConversation(conversation.slice(0, MESSAGES).map(cutMessage));
  const topic = classifyTopic(reading);
  return {
    label: classifyLabel(conversation, topic),
    topic,
    complexity: classifyComplexity(reading, topic),
    domain: classifyDomain(reading),
    flags: classifyFlags(reading),
  };
}

/** All patterns take time linear in the text. */
function readConversation(messages: readonly string[]) {
  const all = messages.join("\n");
  const prose = messages.map(proseOf).join("\n");
  const words = (prose.match(WORD) ?? []).map((word) => word.toLowerCase().replaceAll("’", "'"));
  const names = [...new Set(all.toLowerCase().match(FILE))];
  const files = names.filter((name) => known.FILES.has(name.slice(name.lastIndexOf(".") + 1)));
  const languages = [...all.matchAll(/```([a-z]{1,12})\r?\n/gi)].map(([, name = ""]) => name.toLowerCase());
  const kinds = [...files.map((name) => name.slice(name.lastIndexOf(".") + 1)), ...languages];
  return { all, prose, words, phrases: phrasesOf(words), files, kinds, hasError: ERROR.test(all) };
}

function proseOf(message: string): string {
  const parts = message.split("```");
  return parts.filter((_, at) => at % 2 === 0).join("\n");
}

/** Every one to three words in a row, each with what it may be a regular form of: "copies", "planned", "writing". */
function phrasesOf(words: readonly string[]): readonly (readonly string[])[] {
  const phrases = words.flatMap((_, at) => [1, 2, 3].map((length) => words.slice(at, at + length).join(" ")));
  return [...new Set(phrases)].map((phrase) => {
    const base = phrase.replace(/(?<=..)(?:s|es|ed|ing)$/, "");
    if (base === phrase) return [phrase];
    return [phrase, phrase.replace(/s$/, ""), base, `${base}e`, base.replace(/i$/, "y"), base.replace(/(.)\1$/, "$1")];
  });
}

/** The total weight of each value. A word counts once, however often it is repeated. */
function score(phrases: Reading["phrases"], vocabulary: known.Vocabulary): Scores {
  const weights = new Map<string, number>();
  const add = (value: string, weight: number): void => void weights.set(value, (weights.get(value) ?? 0) + weight);
  const found = phrases.flatMap((forms) => forms.find((form) => vocabulary.has(form)) ?? []);
  for (const entry of new Set(found)) for (const [value, weight] of vocabulary.get(entry) ?? []) add(value, weight);
  return { weights, add };
}

/** The values with enough weight, the strongest first. */
function strongest({ weights }: Scores): readonly string[] {
  const enough = [...weights].filter(([, weight]) => weight >= ENOUGH);
  return enough.sort(([, a], [, b]) => b - a).map(([value]) => value);
}

function classifyTopic(reading: Reading): SessionTopic {
  const { words, phrases, all, prose, kinds } = reading;
  const scores = score(phrases, known.TOPICS);
  if (reading.hasError) scores.add("debugging", 7);
  if (all !== prose) scores.add("coding", 2.5);
  if (OPS_COMMAND.test(prose)) scores.add("ops", 3);
  if (ARITHMETIC.test(prose)) scores.add("other", 5);
  if (kinds.some((kind) => known.FILES.get(kind)?.topic === "coding")) scores.add("coding", 2);
  if (kinds.some((kind) => known.FILES.get(kind)?.topic === "config")) scores.add("config", 2.5);
  addForm(reading, scores);
  const [best] = strongest(scores);
  return TOPICS.find((topic) => topic === best) ?? (words.length <= 4 ? "conversation" : "other");
}

/** A technical request is work, a technical statement reports a fault, and so on. */
function addForm({ words, phrases, all, prose, files, hasError }: Reading, scores: Scores): void {
  const opening = words.slice(0, 12).join(" ").replace(COURTESY, "");
  const [first = ""] = opening.split(" ");
  const verb = known.VERBS.has(first);
  const accented = words.filter((word) => /[^\p{ASCII}]/u.test(word)).length;
  const english = verb || words.length < 4 || words.some((word) => ENGLISH.test(word));
  if (accented * 4 >= words.length || !english) return;
  const marked = hasError || all !== prose || files.length > 0 || IDENTIFIER.test(prose);
  const technical = marked || [known.TECHNICAL, known.DOMAINS].some((list) => score(phrases, list).weights.size > 0);
  const own = OWN.test(opening);
  if (WISH.test(opening) || verb) scores.add(technical ? "coding" : "other", technical ? 2.5 : 1.5);
  else if (ASKING.test(opening) || prose.trimEnd().endsWith("?")) {
    if (technical && words.includes("why")) scores.add("debugging", 3);
    else if (own && !technical) scores.add("conversation", 1.5);
    else scores.add("research", technical ? 1 : 2.5);
  } else if (technical) scores.add("debugging", 3.5);
  else if (own) scores.add("conversation", 2.5);
}

/** How much work it is: what is asked, how long the text is, how many things and files it names. */
function classifyComplexity({ words, phrases, prose, files }: Reading, topic: SessionTopic): SessionComplexity {
  const { weights } = score(phrases, known.COMPLEXITY);
  // Some languages put no spaces between words.
  const length = Math.max(words.length, Math.floor(prose.length / 12));
  const said = length < 5 ? -0.4 : length > 120 ? 1 : length > 45 ? 0.6 : length > 22 ? 0.3 : 0;
  const listed = Math.min(4, (prose.match(/[,;]\s|\n\s{0,4}(?:[-*]|\d{1,2}[.)])\s|\band\b/g) ?? []).length);
  const several = (listed > 2 ? 0.2 * (listed - 1) : 0) + (files.length > 2 || MANY.test(prose) ? 0.6 : 0);
  const start =
    topic === "conversation" ? 0.3 : topic === "coding" || topic === "debugging" || topic === "ops" ? 1.4 : 1;
  const tier = start + (weights.get("more") ?? 0) - (weights.get("less") ?? 0) + said + several;
  return COMPLEXITIES[Math.max(0, Math.min(COMPLEXITIES.length - 1, Math.round(tier)))] ?? "simple";
}

function classifyDomain({ phrases, all, files, kinds }: Reading): readonly string[] {
  const scores = score(phrases, known.DOMAINS);
  for (const kind of kinds) for (const tag of known.FILES.get(kind)?.domains ?? []) scores.add(tag, 2);
  if (files.some((file) => /[._-](?:test|spec)\./.test(file))) scores.add("testing", 2);
  if (all.includes("Traceback (most")) scores.add("python", 3);
  return strongest(scores).slice(0, DOMAIN_MAX);
}

/** Flags can only restrict, so a doubtful one is given. */
function classifyFlags({ phrases, all, prose, files }: Reading): readonly string[] {
  const { weights, add } = score(phrases, known.FLAGS);
  if (DESTRUCTIVE.test(all)) add("destructive", 1);
  if (files.length > 2 || MANY.test(prose)) add("multi-file", 1);
  return LOCAL_FLAGS.filter((flag) => weights.has(flag)).slice(0, FLAGS_MAX);
}

/** The first sentence that says something, without greeting, courtesies and code. */
function classifyLabel(conversation: readonly string[], topic: SessionTopic): string {
  const sentences = conversation.map((message) => firstSentence(cutMessage(message)));
  const chosen = sentences.find((sentence) => sentence !== "") ?? conversation[0] ?? "";
  // A name such as `test_login` keeps its spelling.
  const label = /^[a-z]+(?:\s|$)/.test(chosen) ? chosen.charAt(0).toUpperCase() + chosen.slice(1) : chosen;
  return cleanLabel(cutAtWord(label), topic);
}

function firstSentence(message: string): string {
  // Python prints the error in its last line.
  const error = message.startsWith("Traceback") ? /^\w{1,60}(?:Error|Exception)\b.{0,200}$/m.exec(message) : null;
  const sentences = (error?.[0] ?? proseOf(message)).split(/\r\n?|\n|(?<=[.!?。！？])\s+/);
  const said = sentences.map((one) => strip(one.trim())).filter((one) => /[\p{L}\p{N}]{2}/u.test(one));
  return said.find((sentence) => sentence.length > 12 || /\S\s+\S/.test(sentence)) ?? said[0] ?? "";
}

function strip(sentence: string): string {
  const stripped = sentence.replace(GREETING, "").replace(POLITE, "").trim();
  return stripped === sentence ? sentence : strip(stripped);
}

/** Cuts after a part of the sentence if one ends late enough, else after a word. */
function cutAtWord(text: string): string {
  if (text.length <= LABEL_MAX) return text;
  const cut = cutGraphemes(text, LABEL_MAX);
  const part = Math.max(...[", ", "; ", ": ", " ("].map((end) => cut.lastIndexOf(end)));
  const space = /\s/.test(text.charAt(cut.length)) ? cut.length : cut.lastIndexOf(" ");
  const end = [part, space].find((at) => at > LABEL_MAX / 2) ?? cut.length;
  return cut.slice(0, end).replace(DANGLING, "");
}
