import type { DirectiveType } from "../../../base/words/contract.ts";

export const DIRECTIVE_TYPES: readonly DirectiveType[] = ["keep", "more", "less", "stop", "start"];

/** The type of each word that opens a directive. */
export type Keywords = ReadonlyMap<string, DirectiveType>;

/** Additional keywords in the operator's language, such as `{ stop: ["STOPP"] }`. */
export type KeywordAliases = { readonly [type in DirectiveType]?: readonly string[] };

export const KEYWORDS: Keywords = new Map(DIRECTIVE_TYPES.map((type) => [keywordOf(type), type]));

export function keywordOf(type: DirectiveType): string {
  return type.toUpperCase();
}

/** The keywords with an operator's aliases. Invalid aliases are left out and reported. */
export function withAliases(aliases: KeywordAliases): {
  readonly keywords: Keywords;
  readonly faults: readonly string[];
} {
  const keywords = new Map(KEYWORDS);
  const faults: string[] = [];
  for (const type of DIRECTIVE_TYPES) {
    for (const written of aliases[type] ?? []) {
      const alias = written.normalize("NFC");
      const upper = alias.toUpperCase();
      const other = keywords.get(alias);
      const fault = (what: string) => faults.push(`The alias '${written}' of ${keywordOf(type)} ${what}.`);
      if (!/^\p{L}[\p{L}\p{M}]{1,19}$/u.test(alias)) fault("must be 2 to 20 letters");
      else if (alias !== upper) fault(`must be in upper case: '${upper}'`);
      else if (other !== undefined && other !== type) fault(`stands for ${keywordOf(other)} already`);
      else keywords.set(alias, type);
    }
  }
  return { keywords, faults };
}
