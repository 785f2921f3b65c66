import type { ContractScope, DirectiveType } from "../../../../base/words/contract.ts";
import { comparisonKey } from "../../../../behavior/contract/parse/comparison-key.ts";
import { normaliseDirective } from "../../../../behavior/contract/parse/normalise-directive.ts";
import { isScope } from "../../../../behavior/contract/scopes.ts";
import type { SaidMessage } from "../said.ts";
import type { Evidence, Finding } from "../steps.ts";
import { readCue } from "./cues.ts";
import { ownSentences } from "./own-sentences.ts";

type FindOptions = {
  /** Minimum confidence of findings. Default: all are returned. */
  readonly least?: number;
  /** Lines that Conduct itself wrote, such as a digest. Repeating one verbatim proposes nothing. */
  readonly echoes?: readonly string[];
};

type Wish = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly strength: number;
  readonly scope: ContractScope;
  readonly evidence: Evidence;
};

/** Confidence of a user's line `STOP: x`. An operator's own line was captured when it was sent. */
const STATED = 0.95;
const MOST_EVIDENCE = 20;

/**
 * Finds sentences in people's messages that are nearly directives. Needs no model. Pure: the same messages in any
 * order give the same findings.
 */
export function findCorrections(messages: readonly SaidMessage[], options: FindOptions = {}): readonly Finding[] {
  const echoes = new Set((options.echoes ?? []).map(echoKey));
  const wishes = inOrder(messages).flatMap((message) => wishesOf(message, echoes));
  const groups = Map.groupBy(wishes, ({ type, text, scope }) => `${scope}\n${type}\n${comparisonKey(text)}`);
  return [...groups.values()]
    .flatMap(findingOf)
    .filter(({ confidence }) => confidence >= (options.least ?? 0))
    .toSorted((a, b) => b.confidence - a.confidence || compare(a.text, b.text) || compare(a.scope, b.scope));
}

/** Sorts by time and removes duplicates: a message may be in the window and in the days before it. */
function inOrder(messages: readonly SaidMessage[]): readonly SaidMessage[] {
  const each = new Map(messages.map((message) => [`${message.session}\n${message.event}`, message]));
  return [...each].sort(([a, one], [b, other]) => one.at - other.at || compare(a, b)).map(([, message]) => message);
}

function wishesOf(message: SaidMessage, echoes: ReadonlySet<string>): readonly Wish[] {
  return ownSentences(message.text).flatMap((sentence): readonly Wish[] => {
    if (echoes.has(echoKey(sentence.text))) return [];
    const cue = sentence.kind === "directive" ? stated(message, sentence) : readCue(sentence.text, sentence.masked);
    const scope = scopeOf(message, sentence.text);
    const text = cue === undefined ? undefined : acceptable(cue.text);
    if (cue === undefined || scope === undefined || text === undefined) return [];
    const evidence = { session: message.session, event: message.event, quote: sentence.text };
    return [{ type: cue.type, strength: cue.strength, text, scope, evidence }];
  });
}

function stated({ role }: SaidMessage, { type, about }: { readonly type: DirectiveType; readonly about: string }) {
  return role === "operator" ? undefined : { type, text: about, strength: STATED };
}

/** Returns `undefined` if the contract would reject the text. */
function acceptable(text: string): string | undefined {
  const normal = normaliseDirective(text.replace(/[\p{Cc}\p{Cf}]/gu, ""));
  return "refused" in normal || !/\p{L}{2}/u.test(normal.text) ? undefined : normal.text;
}

/** Each further message with the same wish removes 30 % of the remaining doubt. */
function findingOf(group: readonly Wish[]): readonly Finding[] {
  const first = group[0];
  if (first === undefined) return [];
  const { type, text, scope } = first;
  const strength = Math.max(...group.map((wish) => wish.strength));
  const evidence = [...new Map(group.map((wish) => [keyOf(wish.evidence), wish.evidence])).values()];
  const times = new Set(evidence.map(({ session, event }) => `${session}\n${event}`)).size;
  const confidence = Math.round(Math.min(0.97, 1 - (1 - strength) * 0.7 ** (times - 1)) * 100) / 100;
  return [
    {
      pattern: "correction",
      good: type === "keep",
      type,
      text,
      scope,
      confidence,
      evidence: evidence.slice(-MOST_EVIDENCE),
    },
  ];
}

function keyOf({ session, event, quote }: Evidence): string {
  return `${session}\n${event}\n${quote}`;
}

function echoKey(line: string): string {
  return comparisonKey(line.replace(/^\s*(?:[-*+•]\s+)?(?:KEEP|MORE|LESS|STOP|START):\s*/, ""));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The scope of a wish. An operator's is global, or for the agent addressed by name; a user's is for that user, or for
 * their agent if the user is unknown, never global. `undefined` if there is no such scope.
 */
function scopeOf(message: SaidMessage, sentence: string): ContractScope | undefined {
  const agent: ContractScope = `agent:${message.agent}`;
  if (message.role === "operator") {
    if (!addresses(sentence, message.agent)) return "global";
    return isScope(agent) ? agent : "global";
  }
  const user = message.user ?? message.sender?.user;
  const scopes: readonly ContractScope[] = [...(user === undefined ? [] : [`user:${user}` as const]), agent];
  return scopes.find(isScope);
}

/** `Scout, stop …`, `@scout …`, `… , Scout.`: a name that is also a common noun counts only as a form of address. */
function addresses(sentence: string, agent: string): boolean {
  const said = sentence.toLowerCase();
  const name = agent.toLowerCase();
  if (name.length < 2) return false;
  const at = said.indexOf(name);
  if (at < 0) return false;
  const before = said.slice(0, at).trimEnd();
  const after = said.slice(at + name.length);
  if (before.endsWith("@")) return true;
  const opens = /^(?:(?:hey|hi|ok|okay|so|and|please|yo)[\s,]*)?$/.test(before) && /^\s?[,:!]/.test(after);
  return opens || (before.endsWith(",") && /^\s*[.!?]*$/.test(after));
}
