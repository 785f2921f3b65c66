import { quickHash } from "../../../base/kernel/quick-hash.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";

/** Of a long text its length and its two ends tell enough, and cost the same whatever the length. */
const SAMPLE = 16_384;

/** Tells one result from another. Of the result as the tool gave it: what is cut gets a new handle each time. */
export function hashResult({ exitCode, parts }: Pick<ToolResult, "exitCode" | "parts">): string {
  return quickHash(JSON.stringify([exitCode ?? null, parts.map(sampleOf)]));
}

function sampleOf(part: Part): unknown {
  switch (part.kind) {
    case "text":
      return endsOf(part.text);
    case "json":
      return endsOf(JSON.stringify(part.value));
    case "image":
      return [part.mime, endsOf(part.data)];
    case "bytes":
      return [part.bytes.length, [...part.bytes.subarray(0, 512)], [...part.bytes.subarray(-512)]];
  }
}

function endsOf(text: string): unknown {
  return text.length <= 2 * SAMPLE ? text : [text.length, text.slice(0, SAMPLE), text.slice(-SAMPLE)];
}
