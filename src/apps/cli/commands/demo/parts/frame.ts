import type { Paint } from "../../../line/paint.ts";
import { count, plural } from "../../../line/printable.ts";
import { MOMENTS } from "../../../timeline/layout.ts";
import type { Tally } from "./tally.ts";

/** What a newcomer reads first: what this is, what is about to happen, how to read it. */
export function renderHeader(
  facts: { readonly version: string; readonly agent: string; readonly file: string; readonly root: string },
  paint: Paint,
): string {
  const moments = Object.entries(MOMENTS).map(([name, { glyph, style }]) => `${paint(style, glyph)} ${name}`);
  return [
    "",
    `  ${paint("bold", `Conduct ${facts.version}`)} · behavior control plane for LLM agents`,
    "",
    row("agent", `${facts.agent}, as ${facts.file} defines it`, paint),
    row("model", "scripted, no key needed; its tools are real: files and a shell", paint),
    row("sandbox", facts.root, paint),
    row("moments", moments.join("   "), paint),
    row(
      "marks",
      `${paint("green", "✓")} passed   ${paint("amber", "!")} advised   ${paint("red", "✗")} refused`,
      paint,
    ),
    "",
    "",
  ].join("\n");
}

/** What happened, in figures, and where to go from here. */
export function renderSummary(
  facts: { readonly status: string; readonly seconds: number; readonly tally: Tally; readonly kept?: string },
  tries: readonly { readonly command: string; readonly description: string }[],
  paint: Paint,
): string {
  const { calls, denied, failed, feedback, tokensSaved, pagesRead, stopsRefused } = facts.tally;
  const rules = Object.entries(denied).map(([rule, times]) => `${times} by ${rule}`);
  const all = Object.values(denied).reduce((sum, times) => sum + times, 0);
  return [
    "",
    `  ${paint("bold", facts.status)} after ${facts.seconds.toFixed(1)} s`,
    "",
    row("calls", `${calls} · ${all} denied · ${failed} failed`, paint),
    ...(all === 0 ? [] : [row("denied", rules.join(", "), paint)]),
    row(
      "results",
      `${count(tokensSaved)} tokens kept out of the window, ${plural(pagesRead, "page")} read back`,
      paint,
    ),
    row("feedback", plural(feedback, "time"), paint),
    row("stops", `${stopsRefused} refused`, paint),
    ...(facts.kept === undefined ? [] : [row("sandbox", `kept: ${facts.kept}`, paint)]),
    "",
    // As a shell would take them: a comment, then the command to copy.
    ...tries.flatMap(({ command, description }, at) => [
      row(at === 0 ? "try" : "", paint("dim", `# ${description}`), paint),
      row("", command, paint),
    ]),
    "",
    "",
  ].join("\n");
}

function row(label: string, text: string, paint: Paint): string {
  return `  ${paint("dim", label.padEnd(9))}  ${text}`;
}
