import { isLiteral, literalWord } from "../shell/shell-word.ts";
import { type Arguments, INPUT, tokensOf } from "./arguments.ts";
import type { CommandEffect } from "./program-effects.ts";

/** Statements longer than this are cut in the effect's arguments. */
const SHOWN = 120;

/** What SQL text does to a database. `isKnown`: every part of the text is on the line. */
export function sqlEffects(sql: string, isKnown: boolean): readonly CommandEffect[] {
  const plain = sql
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, " ")
    .replace(/'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/\s+/g, " ");
  return plain.split(";").flatMap((statement) => {
    const text = statement.trim();
    const effect = statementEffect(text.toUpperCase());
    return effect === undefined
      ? []
      : [{ ...effect, args: { ...effect.args, statement: text.slice(0, SHOWN) }, sure: isKnown }];
  });
}

function statementEffect(text: string): Pick<CommandEffect, "name" | "args"> | undefined {
  if (text === "") return undefined;
  if (/^DO\b|\bEXECUTE\b/.test(text)) return { name: "database.drop", args: { ddl: true } };
  const [, first = ""] = /^(?:EXPLAIN ANALYZE )?(?:WITH .*? \) )?(\w+)/.exec(text) ?? [];
  if (/\b(?:DROP|TRUNCATE)\b/.test(text) && /^(?:DROP|TRUNCATE|ALTER)/.test(first)) {
    return { name: "database.drop", args: { ddl: true } };
  }
  if (/^(?:CREATE|ALTER|GRANT|REVOKE|RENAME|COMMENT|REINDEX)$/.test(first)) {
    return { name: "database.change", args: { ddl: true } };
  }
  const [change] = /\b(?:DELETE(?: \w+)? FROM|UPDATE|MERGE INTO|INSERT INTO|REPLACE INTO|COPY)\b/.exec(text) ?? [];
  if (change === undefined)
    return /^\\|^SELECT|^SHOW|^EXPLAIN|^DESC|^PRAGMA|^SET|^BEGIN|^COMMIT|^\./.test(text)
      ? undefined
      : { name: "database.run", args: {} };
  const isAll = !/\bWHERE\b/.test(text) || /\bWHERE (?:TRUE|1|(\w+) ?= ?\1)$/.test(text);
  const isUnbounded = (/^(?:DELETE|UPDATE)/.test(change) || /^MERGE .*\bDELETE\b/.test(text)) && isAll;
  return { name: "database.change", args: isUnbounded ? { unbounded: true } : {} };
}

/** SQL in options and operands, on standard input, and in files whose text is on the line. */
export function sqlIn(selector: string, args: Arguments): readonly CommandEffect[] {
  const given = tokensOf(`${selector} ${INPUT}`).flatMap((token) => {
    if (!token.startsWith("$")) return args.options.get(token) ?? [];
    return args.operands.slice(Number.parseInt(token.slice(1), 10) - 1);
  });
  const files = [...args.options.values(), args.operands].flat().flatMap(({ content }) => content ?? []);
  return [...given, ...files.map(literalWord)].flatMap((word) => sqlEffects(word.text, isLiteral(word)));
}
