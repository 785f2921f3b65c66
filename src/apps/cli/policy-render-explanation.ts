import type { ExplainedPart, ExplainedRule } from "../../engine/agent/rules/explain-rules.ts";
import { callText, gotText, nearMiss } from "../policy/policy-expect.ts";
import type { RanCall } from "../policy/policy-run.ts";
import type { Paint } from "./paint.ts";
import { clip, oneLine, wrap } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** The decision first, then every rule that is on the call with all its parts. */
export function renderExplanation(
  last: RanCall,
  before: readonly RanCall[],
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const row = (label: string, text: string) => {
    const [first = "", ...more] = wrap(text, columns - 12);
    return [` ${paint("dim", label.padEnd(9))} ${first}`, ...more.map((line) => `${" ".repeat(11)}${line}`)];
  };
  const { decision, seen } = last;
  const names = [last.tool, ...(seen?.actions ?? [])].filter((name, at, all) => all.indexOf(name) === at);
  const lines = [
    ...before.flatMap((one, at) =>
      row(
        at === 0 ? "before" : "",
        `${at + 1}  ${callText(one)}   ${gotText(one)}${one.outcome === undefined ? "" : ` · ${one.outcome}`}`,
      ),
    ),
    ` ${paint("dim", "call".padEnd(9))} ${oneLine(callText(last))}   ${paint(STYLES[decision.kind], gotText(last))}`,
    ...row("is", names.join(", ")),
    ...(decision.kind === "deny" ? [...row("because", decision.reason), ...row("next", decision.next)] : []),
    ...(decision.kind === "ask" ? row("question", decision.question) : []),
    ...(decision.kind === "allow" && decision.because !== undefined ? row("because", decision.because) : []),
    ...(decision.kind !== "deny" && decision.input !== undefined ? row("input", JSON.stringify(decision.input)) : []),
    "",
    ...(last.rules.length === 0
      ? [" no rule is on this call"]
      : last.rules.flatMap((rule) => renderRule(rule, before, paint))),
  ];
  return `\n${lines.join("\n")}\n\n`;
}

const STYLES = { allow: "green", ask: "amber", deny: "red" } as const;
const MARKS = { violated: "✗", satisfied: "✓", exempt: "·" } as const;

function renderRule(
  { id, effect, place, on, unless, when, require, atMost, verdict, finding }: ExplainedRule,
  before: readonly RanCall[],
  paint: Paint,
): readonly string[] {
  const style = verdict === "violated" ? "red" : verdict === "satisfied" ? "green" : "dim";
  const where = place === undefined ? "" : `   ${paint("dim", `${place.file}:${place.line}`)}`;
  const became = verdict === "violated" ? effect : verdict === "satisfied" ? "satisfied" : "does not apply";
  const limit = finding?.missing.find(({ what }) => what.startsWith("a call left"));
  return [
    ` ${paint(style, MARKS[verdict])} ${paint("bold", id)}   ${became}${where}`,
    `     on       ${on}`,
    ...(unless === undefined ? [] : [`     unless   ${truthText(unless.truth)}   ${clip(oneLine(unless.source), 70)}`]),
    ...(when === undefined ? [] : [`     when     ${truthText(when.truth)}   ${clip(oneLine(when.source), 70)}`]),
    ...(require === undefined ? [] : partLines(require, before, "     require  ")),
    ...(atMost === undefined || verdict === "exempt"
      ? []
      : [
          `     atMost   ${limit === undefined ? truthText(true) : truthText(false)}   ${atMost}${limit === undefined ? "" : `: ${limit.why}`}`,
        ]),
  ];
}

function partLines(part: ExplainedPart, before: readonly RanCall[], lead: string): readonly string[] {
  const { text, truth, why, parts } = part;
  const near = part.call === undefined ? undefined : nearMiss(part, before);
  const reason = truth === true || why === undefined ? "" : `: ${why}${near === undefined ? "" : `; ${near}`}`;
  const below = `${" ".repeat(lead.length)}  `;
  return [
    `${lead}${truthText(truth)}   ${oneLine(text)}${reason}`,
    ...parts.flatMap((one) => partLines(one, before, below)),
  ];
}

function truthText(truth: boolean | undefined): string {
  return (truth === undefined ? "unknown" : String(truth)).padEnd(7);
}
