import type { ContractScope, DirectiveType } from "../../../../base/words/contract.ts";
import { comparisonKey } from "../../../../behavior/contract/comparison-key.ts";
import type { Evidence, Finding } from "../finding.ts";
import { soundText } from "./directive-text.ts";
import { groupAlike } from "./group-alike.ts";
import { ownSentences } from "./own-sentences.ts";
import { personOf, scopeOf } from "./person-scope.ts";
import { readMessage } from "./read-message.ts";
import { readRequest } from "./repeated-requests.ts";
import type { SaidMessage } from "./said-message.ts";

type FindOptions = {
  /** Below this nothing is told; 0.5 unless told. */
  readonly least?: number;
  /** Lines that Conduct itself told: the contract's, the digest's. Who repeats one word for word has not said anything of their own. */
  readonly echoes?: readonly string[];
};

/** One sentence, read. */
type Said = {
  readonly kind: "correction" | "request";
  readonly type: DirectiveType;
  readonly text: string;
  readonly strength: number;
  readonly scope: ContractScope;
  readonly person: string;
  readonly verb: string;
  readonly evidence: Evidence;
};

const LEAST = 0.5;
/** A line `STOP: x` of somebody whose lines are not taken at once. */
const STATED = 0.95;
/** Texts that share this much of their words say the same. */
const ALIKE = 0.5;
const SAME_REQUEST = 0.6;
/** As often must a task be asked for until it is a habit to take up. */
const REQUESTS = 3;
const REQUEST_STRENGTH = 0.55;
const MOST_EVIDENCE = 20;

/**
 * What people said on how the agent should behave, and what they had to ask for again and again. Pure: the same messages give the same
 * findings, in whatever order they come. English only; in other languages it finds nothing but lines such as `STOP: x`.
 */
export function findCorrections(messages: readonly SaidMessage[], options: FindOptions = {}): readonly Finding[] {
  const echoes = new Set((options.echoes ?? []).map(echoKey));
  const said = inOrder(messages).flatMap((message) => readSaid(message, echoes));
  const corrections = groupAlike(
    said.filter(({ kind }) => kind === "correction"),
    { apart: ({ scope, type }) => `${scope} ${direction(type)}`, text: ({ text }) => text, alike: ALIKE },
  );
  const requests = groupAlike(
    said.filter(({ kind }) => kind === "request"),
    {
      apart: ({ scope, person, type, verb }) => `${scope} ${person} ${type} ${verb}`,
      text: ({ text }) => text,
      alike: SAME_REQUEST,
    },
  );
  return [...corrections.map(correctionOf), ...requests.flatMap(requestOf)]
    .filter(({ confidence }) => confidence >= (options.least ?? LEAST))
    .toSorted((a, b) => b.confidence - a.confidence || compare(a.text, b.text) || compare(a.scope, b.scope));
}

/** By time, each once: a message may stand in a window and in what was looked back on. */
function inOrder(messages: readonly SaidMessage[]): readonly SaidMessage[] {
  const each = new Map(messages.map((message) => [`${message.session}\n${message.event}`, message]));
  return [...each].sort(([a, one], [b, other]) => one.at - other.at || compare(a, b)).map(([, message]) => message);
}

function readSaid(message: SaidMessage, echoes: ReadonlySet<string>): readonly Said[] {
  const found: Said[] = [];
  const person = personOf(message);
  const push = (part: Pick<Said, "kind" | "type" | "text" | "strength" | "verb">, quote: string) => {
    const scope = scopeOf(message, quote);
    if (scope === undefined) return;
    found.push({ ...part, scope, person, evidence: { session: message.session, event: message.event, quote } });
  };
  const own = ownSentences(message.text).filter(({ text }) => echoes.size === 0 || !echoes.has(echoKey(text)));
  for (const one of own) {
    if (one.kind !== "directive") continue;
    // An operator's was taken when it was said.
    const text = message.role === "operator" ? undefined : soundText(one.about);
    if (text !== undefined) push({ kind: "correction", type: one.type, text, strength: STATED, verb: "" }, one.text);
  }
  const { wishes, others } = readMessage(
    own.filter((one) => one.kind === "sentence"),
    message.text,
  );
  for (const { quote, ...wish } of wishes) push({ kind: "correction", ...wish, verb: "" }, quote);
  for (const { quote, read } of others) {
    const request = readRequest(read);
    if (request !== undefined) push({ kind: "request", ...request, strength: REQUEST_STRENGTH }, quote);
  }
  return found;
}

function correctionOf(group: readonly Said[]): Finding {
  const strongest = group.toSorted((a, b) => b.strength - a.strength)[0] ?? group[0];
  if (strongest === undefined) throw new Error("a group has a member");
  return findingOf("correction", strongest, strongest.strength, group);
}

function requestOf(group: readonly Said[]): readonly Finding[] {
  const shortest = group.toSorted((a, b) => a.text.length - b.text.length)[0];
  const text = shortest === undefined || eventsOf(group) < REQUESTS ? undefined : soundText(shortest.text);
  return shortest === undefined || text === undefined
    ? []
    : [findingOf("request", { ...shortest, text }, REQUEST_STRENGTH, group)];
}

/** Each time it is said again, less doubt is left. */
function findingOf(
  pattern: "correction" | "request",
  { type, text, scope }: Said,
  strength: number,
  group: readonly Said[],
): Finding {
  const again = pattern === "request" ? eventsOf(group) - REQUESTS : eventsOf(group) - 1;
  const confidence = Math.min(0.97, 1 - (1 - strength) * 0.7 ** again);
  const evidence = [
    ...new Map(group.map(({ evidence: one }) => [`${one.session}\n${one.event}\n${one.quote}`, one])).values(),
  ];
  return {
    pattern,
    good: type === "keep",
    type,
    text,
    scope,
    confidence: Math.round(confidence * 100) / 100,
    evidence: evidence.slice(-MOST_EVIDENCE),
  };
}

function eventsOf(group: readonly Said[]): number {
  return new Set(group.map(({ evidence }) => `${evidence.session}\n${evidence.event}`)).size;
}

/** Types that ask for the same in another strength can be one wish. */
function direction(type: DirectiveType): string {
  if (type === "keep") return type;
  return type === "less" || type === "stop" ? "down" : "up";
}

function echoKey(line: string): string {
  return comparisonKey(line.replace(/^\s*(?:[-*+•]\s+)?(?:KEEP|MORE|LESS|STOP|START):\s*/, ""));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
