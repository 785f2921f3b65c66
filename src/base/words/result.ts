import type { Outcome } from "./call.ts";
import type { Json } from "./json.ts";

/** One part of a tool's result. `data` of an image is base64. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "image"; readonly mime: string; readonly data: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mime?: string };

/** The result of a call, as the runtime reports it. */
export type ToolResult = {
  readonly outcome: Outcome;
  readonly exitCode?: number;
  readonly parts: readonly Part[];
  /** The unparsed `__directives` of the structured result. Only those of trusted tools count. */
  readonly requirements?: unknown;
};

/** What a trusted tool's result requires before the next call. Can only tighten. */
export type Requirement = { readonly requireBeforeNext: readonly string[]; readonly escalateToOwner: boolean };

/** Record of a truncation, for statistics. `estimated`: the original was over twice the limit. */
export type Truncation = {
  readonly tool: string;
  readonly strategy: "head" | "head-tail" | "replaced";
  readonly original: number;
  readonly estimated: boolean;
  readonly limit: number;
  readonly kept: number;
  /** Absent if the full result could not be stored. */
  readonly handle?: string;
};
