import { nearest } from "../../base/kernel/nearest.ts";
import type { PromptMode } from "../../base/words/prompt.ts";
import type { PreviewRequest } from "../../edge/host/preview-prompt.ts";
import { parseClassification } from "../../edge/host/preview-prompt-classification.ts";
import type { Arguments } from "./command.ts";

export type BadArgument = { readonly code: string; readonly message: string; readonly fix: string };

const MODES: readonly PromptMode[] = ["full", "minimal", "none"];
const EXAMPLE = `--classification '{"topic": "coding", "complexity": "simple", "domain": ["security"]}'`;

/** The session that the options describe, or the first of them that cannot be understood. */
export function previewRequest(agent: string, args: Arguments, now: number): PreviewRequest | BadArgument {
  const at = readTime(args.at, now);
  if (typeof at !== "number") return at;
  const mode = readMode(args.mode);
  if (typeof mode === "object") return mode;
  const json = textOf(args.classification);
  const classification = json === undefined ? undefined : parseClassification(json);
  if (classification !== undefined && "fault" in classification) {
    return { code: "BAD_CLASSIFICATION", message: `--classification: ${classification.fault}`, fix: EXAMPLE };
  }
  const [user, channel, zone] = [args.user, args.channel, args.zone].map(textOf);
  const custom = textOf(args.custom)
    ?.split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  return {
    agent,
    at,
    runtime: textOf(args.runtime) ?? "pi",
    think: args.think === true,
    user,
    channel,
    zone,
    mode,
    classification,
    custom,
  };
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Without an offset it is UTC: the machine's own zone must not change the bytes. */
function readTime(given: unknown, now: number): number | BadArgument {
  const text = textOf(given);
  if (text === undefined) return now;
  const match = ISO.exec(text);
  const at = match === null ? Number.NaN : Date.parse(text.includes("T") && match[1] === undefined ? `${text}Z` : text);
  if (Number.isFinite(at) && isReal(text)) return at;
  return { code: "BAD_TIME", message: `--at: '${text}' is no time in ISO form`, fix: "--at 2026-03-06T09:05Z" };
}

/** Date.parse takes the 31st of February for the 3rd of March. */
function isReal(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

function readMode(given: unknown): PromptMode | BadArgument | undefined {
  const text = textOf(given);
  if (text === undefined) return undefined;
  const mode = MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  const message = `--mode: '${text}' is none of ${MODES.join(", ")}`;
  return { code: "BAD_MODE", message, fix: `--mode ${nearest(text, MODES) ?? MODES[0]}` };
}

function textOf(given: unknown): string | undefined {
  return typeof given === "string" && given.trim() !== "" ? given.trim() : undefined;
}
