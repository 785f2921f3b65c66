import { createHmac } from "node:crypto";
import { redactSecrets } from "../../base/kernel/redact-secrets.ts";
import { cutGraphemes, wellFormed } from "../../base/kernel/text.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { withJson } from "./event-json.ts";

/** A longer text is cut. */
const MAX_TEXT = 8_192;
/** So much of a long text is searched for secrets; more than is kept, because marks are shorter than what they stand for. */
const SEARCHED = 4 * MAX_TEXT;
/** What a cut through a secret may leave unrecognised at the end of that. */
const UNSURE = 256;
/** An event of more characters loses its largest parts. */
const MAX_EVENT = 262_144;
const LARGE_PART = 16_384;

/** Identifiers are stored unchanged. */
const ENVELOPE: ReadonlySet<string> = new Set(["id", "session", "parent", "agent", "run", "step", "type"]);
const MARK = /^(?:\[redacted:[0-9a-f]{12}\])+$/;

/** Prepares an event for storage. Never throws: an unreadable event becomes a fault. */
export type RedactEvent = (event: ConductEvent) => ConductEvent;

/** Takes secrets out of a text in the same way; however long it is, it stays whole. */
export function redactTextWith(key: Uint8Array): (text: string) => string {
  const { markOf } = marksUnder(key);
  return (text) => wellFormed(redactSecrets(text, markOf));
}

function marksUnder(key: Uint8Array) {
  if (key.byteLength < 16) throw new Error(`the journal's key has ${key.byteLength} bytes; it needs at least 16`);
  const hashOf = (text: string) => createHmac("sha256", key).update(wellFormed(text)).digest("hex").slice(0, 12);
  const markOf = (secret: string) => (MARK.test(secret) ? secret : `[redacted:${hashOf(secret)}]`);
  return { hashOf, markOf };
}

/**
 * Secrets become `[redacted:…]` with a hash under the key, so that equal secrets are known as equal and nobody without the key can
 * test a guess; long texts are cut with their length and such a hash.
 */
export function redactWith(key: Uint8Array): RedactEvent {
  const { hashOf, markOf } = marksUnder(key);

  function text(whole: string): string {
    if (whole.length <= MAX_TEXT) return wellFormed(redactSecrets(whole, markOf));
    const searched = redactSecrets(whole.slice(0, SEARCHED), markOf);
    const sure = whole.length > SEARCHED ? searched.slice(0, -UNSURE) : searched;
    return `${wellFormed(cutGraphemes(sure, MAX_TEXT))}… [cut: ${whole.length} characters, ${hashOf(whole)}]`;
  }

  /** A name such as `password` marks its value as a secret, so both are searched together. */
  function named(name: string, value: unknown): unknown {
    if (typeof value !== "string" || value === "") return walk(value);
    const found = redactSecrets(`${name.slice(-64)}=${JSON.stringify(value.slice(0, MAX_TEXT))}`, () => "");
    return found.endsWith('=""') ? markOf(value) : text(value);
  }

  /** The copy contains only what JSON can hold, so that it equals the event that is read again later. */
  function walk(value: unknown): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => jsonOr(walk(item), null));
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      put(copy, text(name), named(name, (value as Readonly<Record<string, unknown>>)[name]));
    }
    return copy;
  }

  /** The parts that a call brings along are as large as the model likes. */
  function shrink(value: unknown): unknown {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        if (name === "call" || name === "decision" || name === "native") return [name, shrink(item)];
        const whole = JSON.stringify(item) ?? "";
        if (typeof item !== "object" || whole.length <= LARGE_PART) return [name, item];
        return [name, Array.isArray(item) ? [] : { cut: `[cut: ${whole.length} characters, ${hashOf(whole)}]` }];
      }),
    );
  }

  return (event) => {
    try {
      const clean: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(event)) {
        const isHash = name === "resultHash" && value !== undefined;
        put(clean, name, ENVELOPE.has(name) ? value : isHash ? hashOf(String(value)) : named(name, value));
      }
      const json = JSON.stringify(clean);
      if (json.length <= MAX_EVENT) return withJson(clean as ConductEvent, json);
      const kept = shrink(clean);
      return withJson(kept as ConductEvent, JSON.stringify(kept));
    } catch {
      const { v, id, seq, at, session, agent, run, turn } = event;
      const fault = {
        where: "journal",
        code: "event-unreadable",
        message: `An event of type ${event.type} could not be written.`,
      };
      return { v, id, seq, at, session, agent, run, turn, type: "fault", fault };
    }
  };
}

/** Adds a property unless JSON would leave it out. */
function put(to: Record<string, unknown>, name: string, value: unknown): void {
  const json = jsonOr(value, undefined);
  if (json === undefined) return;
  // An assignment would set the prototype.
  if (name === "__proto__") Object.defineProperty(to, name, { value: json, enumerable: true, configurable: true });
  else to[name] = json;
}

function jsonOr(value: unknown, otherwise: null | undefined): unknown {
  return value === undefined || typeof value === "function" || typeof value === "symbol" ? otherwise : value;
}
