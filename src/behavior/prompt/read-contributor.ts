import { nearest } from "../../base/kernel/nearest.ts";
import type {
  ContributorSource,
  ContributorTag,
  PromptContributor,
  PromptZone,
  TagDimension,
} from "../../base/words/prompt.ts";
import { tagKey, UNIVERSAL } from "./contributor-registry.ts";

const DEFAULT_PRIORITY = 100;

/** Plugins and workspaces come after Identity, contract, Soul, the agent's sections and Safety. */
const FIRST_FOR_OTHERS = 26;
const ZONES: readonly PromptZone[] = ["static", "session", "turn"];
const DIMENSIONS: readonly TagDimension[] = ["topic", "complexity", "domain", "flag", "channel", "custom"];

export type ContributorFault =
  | "bad-id"
  | "reserved-id"
  | "duplicate-id"
  | "bad-priority"
  | "bad-zone"
  | "bad-tag"
  | "bad-function";

export class ContributorError extends Error {
  readonly code: ContributorFault;
  constructor(code: ContributorFault, message: string) {
    super(message);
    this.name = "ContributorError";
    this.code = code;
  }
}

/** A contributor as registered; later changes by its owner do not move it. */
export type Registered = {
  readonly contributor: PromptContributor;
  readonly source: ContributorSource;
  readonly id: string;
  readonly zone: PromptZone;
  readonly priority: number;
  /** Its tags, or the universal key. */
  readonly keys: readonly string[];
};

/** Validates a contributor. Throws a ContributorError. */
export function readContributor(contributor: PromptContributor, source: ContributorSource): Registered {
  const { id, tags = [], priority = DEFAULT_PRIORITY } = contributor;
  checkId(id, source);
  const keys = readTags(id, tags);
  const { zone = keys.length === 0 ? "static" : "session" } = contributor;
  if (!Number.isFinite(priority)) {
    const advice = "give a number (lower comes earlier), or leave it out for 100";
    reject("bad-priority", id, `the priority is ${String(priority)}; ${advice}`);
  }
  if (!ZONES.includes(zone)) reject("bad-zone", id, `there is no zone "${String(zone)}"; use static, session or turn`);
  checkFunctions(contributor);
  const outsider = source === "plugin" || source === "workspace";
  const place = outsider ? Math.max(priority, FIRST_FOR_OTHERS) : priority;
  return { contributor, source, id, zone, priority: place, keys: keys.length === 0 ? [UNIVERSAL] : keys };
}

function reject(code: ContributorFault, id: string, what: string): never {
  throw new ContributorError(code, `contributor "${id}": ${what}`);
}

function checkId(id: string, source: ContributorSource): void {
  const given: unknown = id;
  if (typeof given !== "string" || given.trim() === "" || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(given)) {
    throw new ContributorError(
      "bad-id",
      `a contributor of ${source} has no usable id (${describe(given)}); give it one line of text of its own`,
    );
  }
  if (source !== "builtin" && /^\s*builtin:/i.test(given)) {
    reject("reserved-id", id, "ids that begin with builtin: are Conduct's own; give it another id");
  }
}

function checkFunctions({ id, contribute, shouldContribute }: PromptContributor): void {
  if (typeof contribute !== "function") {
    reject("bad-function", id, `contribute is ${describe(contribute)}; make it a function that returns a section`);
  }
  if (shouldContribute !== undefined && typeof shouldContribute !== "function") {
    const is = describe(shouldContribute);
    reject("bad-function", id, `shouldContribute is ${is}; make it a function, or leave it out`);
  }
}

function readTags(id: string, tags: readonly ContributorTag[]): readonly string[] {
  if (Array.isArray(tags)) return tags.map((tag) => readTag(id, tag));
  return reject("bad-tag", id, "the tags are no list; write [{ dimension, value }]");
}

function readTag(id: string, tag: ContributorTag): string {
  const { dimension, value }: Partial<ContributorTag> = tag ?? {};
  if (dimension === undefined || !DIMENSIONS.includes(dimension)) {
    const meant = nearest(String(dimension), DIMENSIONS);
    const hint = meant === undefined ? "" : `did you mean ${meant}? `;
    const known = `It is one of ${DIMENSIONS.join(", ")}`;
    return reject("bad-tag", id, `there is no tag dimension "${String(dimension)}"; ${hint}${known}`);
  }
  const text: unknown = value;
  if (typeof text !== "string" || text.trim() === "") {
    return reject("bad-tag", id, `its tag of dimension ${dimension} has no value; give one, or * for any`);
  }
  return tagKey(dimension, text);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "string" ? "blank" : `a ${typeof value}`;
}
