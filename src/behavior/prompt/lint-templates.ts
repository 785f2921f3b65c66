import type { LintFinding } from "./lint-prompt.ts";
import { proseOf, type ToldText } from "./lint-text.ts";

/** `{{x}}` and `${x}` in any case; `$x` in small letters only, because `$HOME` is meant as it stands. */
const LEFT = /\{\{\s*[A-Za-z_][\w.-]*\s*\}\}|\$\{[A-Za-z_][\w.]*\}|(?<![\w\\$])\$[a-z_]\w*/g;

/** Placeholders that nothing fills in: contributors' texts are told as they are. */
export function lintTemplates({ id, text }: ToldText): readonly LintFinding[] {
  const prose = proseOf(text).replace(/`[^`\n]*`/g, "``");
  return [...new Set(prose.match(LEFT) ?? [])].map((quote) => ({
    level: "warning",
    rule: "template-left",
    contributor: id,
    quote,
    message: `'${quote}' is told as it stands: nothing fills it in`,
    fix: "write what is meant, or put it between backticks when the characters themselves are meant",
  }));
}
