import type { DirectiveType } from "../../../base/words/contract.ts";

export const DIRECTIVE_TYPES: readonly DirectiveType[] = ["keep", "more", "less", "stop", "start"];

/** The type of each word that opens a directive. */
export const KEYWORDS: ReadonlyMap<string, DirectiveType> = new Map(
  DIRECTIVE_TYPES.map((type) => [keywordOf(type), type]),
);

export function keywordOf(type: DirectiveType): string {
  return type.toUpperCase();
}
