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
/** Identity, contract, Soul, the agent's sections and Safety come before all that plugins and workspaces give. */
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

/** Why a contributor cannot be registered, and what to do about it. */
export class ContributorError extends Error {
  readonly code: ContributorFault;
  constructor(code: ContributorFault, message: string) {
    super(message);
    this.name = "ContributorError";
    this.code = code;
  }
}

/** A contributor as it was when it was registered; what its owner changes later has no effect on its place. */
export type Registered = {
  readonly contributor: PromptContributor;
  readonly source: ContributorSource;
  readonly id: string;
  readonly zone: PromptZone;
  readonly priority: number;
  /** What selects it: its tags, or that it is for every session. */
  readonly keys: readonly string[];
};

/** Throws a ContributorError on what could never be selected, ordered or asked. */
export function readContributor(contributor: PromptContributor, source: ContributorSource): Registered {
  const { id, tags = [], priority = DEFAULT_PRIORITY } = contributor;
  checkId(id, source);
  const keys = readTags(id, tags);
  const { zone = keys.length === 0 ? "static" : "session" } = contributor;
  if (!Number.isFinite(priority)) {
    throw new ContributorError(
      "bad-priority",
      `contributor "${id}": the priority is ${String(priority)}; give a number (lower comes earlier), or leave it out for 100`,
    );
  }
  if (!ZONES.includes(zone)) {
    throw new ContributorError(
      "bad-zone",
      `contributor "${id}": there is no zone "${String(zone)}"; use static, session or turn`,
    );
  }
  checkFunctions(contributor);
  const place = isOutsider(source) ? Math.max(priority, FIRST_FOR_OTHERS) : priority;
  return { contributor, source, id, zone, priority: place, keys: keys.length === 0 ? [UNIVERSAL] : keys };
}

/** Whose contributors may not stand above the operator's contract. */
function isOutsider(source: ContributorSource): boolean {
  return source === "plugin" || source === "workspace";
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
    throw new ContributorError(
      "reserved-id",
      `contributor "${id}": ids that begin with builtin: are Conduct's own; give it another id`,
    );
  }
}

function checkFunctions({ id, contribute, shouldContribute }: PromptContributor): void {
  if (typeof contribute !== "function") {
    throw new ContributorError(
      "bad-function",
      `contributor "${id}": contribute is ${describe(contribute)}; make it a function that returns a section`,
    );
  }
  if (shouldContribute !== undefined && typeof shouldContribute !== "function") {
    throw new ContributorError(
      "bad-function",
      `contributor "${id}": shouldContribute is ${describe(shouldContribute)}; make it a function, or leave it out`,
    );
  }
}

function readTags(id: string, tags: readonly ContributorTag[]): readonly string[] {
  if (Array.isArray(tags)) return tags.map((tag) => readTag(id, tag));
  throw new ContributorError("bad-tag", `contributor "${id}": the tags are no list; write [{ dimension, value }]`);
}

function readTag(id: string, tag: ContributorTag): string {
  const { dimension, value }: Partial<ContributorTag> = tag ?? {};
  if (dimension === undefined || !DIMENSIONS.includes(dimension)) {
    const meant = nearest(String(dimension), DIMENSIONS);
    throw new ContributorError(
      "bad-tag",
      `contributor "${id}": there is no tag dimension "${String(dimension)}"; ${meant === undefined ? "" : `did you mean ${meant}? `}It is one of ${DIMENSIONS.join(", ")}`,
    );
  }
  const text: unknown = value;
  if (typeof text !== "string" || text.trim() === "") {
    throw new ContributorError(
      "bad-tag",
      `contributor "${id}": its tag of dimension ${dimension} has no value; give one, or * for any`,
    );
  }
  return tagKey(dimension, text);
}

function describe(value: unknown): string {
  return value === null || value === undefined
    ? String(value)
    : typeof value === "string"
      ? "blank"
      : `a ${typeof value}`;
}
