import { neutraliseTags } from "../../../base/kernel/text.ts";

/** A name or a phrase of somebody else within a line of ours: it ends no line and closes no block. */
export function inline(text: string): string {
  return neutraliseTags(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim());
}
