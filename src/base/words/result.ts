import type { Outcome } from "./call.ts";
import type { Json } from "./json.ts";

/** One piece of a tool's result. `data` of an image is base64. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "image"; readonly mime: string; readonly data: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly mime?: string };

/** A tool's result in Conduct's vocabulary. */
export type ToolResult = {
  readonly outcome: Outcome;
  readonly exitCode?: number;
  readonly parts: readonly Part[];
  /** What stood under `__directives` in the structured part of the result, unread. Only a trusted tool's counts. */
  readonly requirements?: unknown;
};

/** What a trusted tool's result demands before the next call. It can only tighten. */
export type Requirement = { readonly requireBeforeNext: readonly string[]; readonly escalateToOwner: boolean };

/** How a result was shortened; recorded, so that it can be counted. `estimated` marks an original beyond twice the limit. */
export type Truncation = {
  readonly tool: string;
  readonly strategy: "head" | "head-tail" | "replaced";
  readonly original: number;
  readonly estimated: boolean;
  readonly limit: number;
  readonly kept: number;
  /** Absent when the full result could not be kept. */
  readonly handle?: string;
};
