import type { ContributorTag } from "../../../../base/words/prompt.ts";
import type { Style } from "../../line/paint.ts";
import { clip, count, oneLine, wrap } from "../../line/printable.ts";
import type { LintedAgent, PlacedFinding } from "./lint.ts";
import { type PromptLayout, SOURCE_STYLES } from "./render.ts";
import { barOf } from "./render-table.ts";

const MARKS = {
  error: ["✗", "red"],
  warning: ["!", "amber"],
  hint: ["·", "dim"],
} as const satisfies { readonly [level: string]: readonly [string, Style] };

/** The findings of one agent, then what its sections cost. */
export function renderLint(linted: LintedAgent, layout: PromptLayout): string {
  const { paint } = layout;
  const findings = linted.findings.map((finding) => renderFinding(finding, layout));
  return [`  ${paint("bold", oneLine(linted.agent))}`, "", ...findings, renderCosts(linted, layout)].join("\n");
}

/** One finding: what, where, and what to do. */
export function renderFinding(finding: PlacedFinding, { columns, paint }: PromptLayout): string {
  const [mark, style] = MARKS[finding.level];
  const { place, quote, other } = finding;
  const name = finding.contributor === place?.file ? "" : `  ${paint("bold", oneLine(finding.contributor))}`;
  const where = place === undefined ? "" : `  ${paint("dim", oneLine(`${place.file}:${place.line}`))}`;
  const head = `  ${paint(style, `${mark} ${finding.rule}`)}${name}${where}`;
  const inside = (text: string) => wrap(text, columns - 6).map((line) => `    ${line}`);
  const shown =
    quote === undefined || finding.message.includes(quote) ? [] : inside(`“${clip(oneLine(quote), 2 * columns)}”`);
  const said = inside(finding.message);
  const fix = wrap(finding.fix, columns - 9).map((line, at) => `    ${paint("dim", at === 0 ? "->" : "  ")} ${line}`);
  return [head, ...(other === undefined ? said : [...shown, ...said]), ...fix, ""].join("\n");
}

function renderCosts({ sections, always, all, budget }: LintedAgent, { columns, paint }: PromptLayout): string {
  const bar = columns >= 100 ? 14 : 8;
  const rows = sections.map(({ id, source, tags, tokens }) => ({
    id: oneLine(id),
    source,
    when: oneLine(whenText(tags)),
    tokens,
  }));
  // Indent, tokens, share, and two columns between each.
  const room = columns - 2 - 6 - 6 - bar - 8;
  const when = Math.min(Math.max(13, ...rows.map((row) => row.when.length)), Math.floor(room * 0.6));
  const name = Math.min(Math.max(11, ...rows.map((row) => row.id.length)), room - when);
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const share = (tokens: number) => `${((100 * tokens) / budget).toFixed(1)} %`.padStart(6);
  const line = (cells: readonly string[]) => `  ${cells.join("  ")}`.trimEnd();
  const lines = rows.map(({ id, source, when: text, tokens }) =>
    line([
      paint(SOURCE_STYLES[source], clip(id, name).padEnd(name)),
      clip(text, when).padEnd(when),
      count(tokens).padStart(6),
      share(tokens),
      paint(SOURCE_STYLES[source], barOf(tokens / most, bar)),
    ]),
  );
  const total = (label: string, tokens: number) =>
    line([label.padEnd(name + when + 2), count(tokens).padStart(6), share(tokens)]);
  return [
    paint("dim", line(["contributor".padEnd(name), "when".padEnd(when), "tokens", ` of ${compact(budget)}`])),
    ...lines,
    total("every session", always),
    ...(all === always ? [] : [total("with every tag selected", all)]),
    "",
  ].join("\n");
}

function whenText(tags: readonly ContributorTag[]): string {
  return tags.length === 0 ? "every session" : tags.map(({ dimension, value }) => `${dimension}:${value}`).join(" or ");
}

/** `32k` of 32,000. */
function compact(tokens: number): string {
  return tokens >= 10_000 ? `${Math.round(tokens / 1_000)}k` : count(tokens);
}
