import type { DirectiveType } from "../../../base/words/contract.ts";

export const DIRECTIVE_TYPES: readonly DirectiveType[] = ["keep", "more", "less", "stop", "start"];

/** Words that open a directive, as they must be written, and the type each stands for. */
export type Keywords = ReadonlyMap<string, DirectiveType>;

/** Further words of an operator's own language, by type, such as `{ stop: ["STOPP"] }`. */
export type KeywordAliases = { readonly [type in DirectiveType]?: readonly string[] };

export const KEYWORDS: Keywords = new Map(DIRECTIVE_TYPES.map((type) => [keywordOf(type), type]));

/** The word with which a directive of this type is told. */
export function keywordOf(type: DirectiveType): string {
  return type.toUpperCase();
}

/** The keywords with an operator's aliases. An alias that is not fit to be one is left out, and said. */
export function withAliases(aliases: KeywordAliases): {
  readonly keywords: Keywords;
  readonly faults: readonly string[];
} {
  const keywords = new Map(KEYWORDS);
  const faults: string[] = [];
  for (const type of DIRECTIVE_TYPES) {
    for (const written of aliases[type] ?? []) {
      const alias = written.normalize("NFC");
      const other = keywords.get(alias);
      if (!/^\p{L}[\p{L}\p{M}]{1,19}$/u.test(alias))
        faults.push(`The alias '${written}' of ${keywordOf(type)} must be 2 to 20 letters.`);
      else if (alias !== alias.toUpperCase()) {
        faults.push(`The alias '${written}' of ${keywordOf(type)} must be in upper case: '${alias.toUpperCase()}'.`);
      } else if (other !== undefined && other !== type) {
        faults.push(`The alias '${written}' of ${keywordOf(type)} stands for ${keywordOf(other)} already.`);
      } else keywords.set(alias, type);
    }
  }
  return { keywords, faults };
}
