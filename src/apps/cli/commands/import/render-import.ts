import { stringify } from "yaml";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { type ImportedLine, type ImportPlan, ruleJson } from "../../../import/import-plan.ts";
import type { changedLines } from "../../../import/import-record.ts";
import { clip, oneLine, plural, printableLine } from "../../../shared/printable.ts";
import type { Style, Terminal } from "../../line/terminal.ts";

type Change = ReturnType<typeof changedLines>;

const MARKS = {
  rule: ["rule", "red"],
  directive: ["directive", "magenta"],
  contributor: ["contributor", "blue"],
  nothing: ["nothing", "dim"],
} as const satisfies { readonly [kind: string]: readonly [string, Style] };

/** Every line with what it becomes; after the first import only the lines that changed. */
export function renderImport(plan: ImportPlan, change: Change, isAgain: boolean, terminal: Terminal): string {
  const { paint } = terminal;
  const shown = isAgain ? change.added : plan.lines;
  const files = [...Map.groupBy(shown, ({ file }) => file)].map(
    ([file, lines]) =>
      `\n  ${paint("bold", oneLine(file))}\n${lines.map((line) => renderLine(line, plan, isAgain, terminal)).join("")}`,
  );
  const gone = change.gone.map(
    ({ file, line, text, kind }) =>
      `  ${paint("red", "-")} ${oneLine(`${file}:${line}`)}  ${kind}  ${clip(oneLine(text), terminal.columns - 24)}\n`,
  );
  const same = isAgain ? plan.lines.length - change.added.length : 0;
  const count = (kind: ImportedLine["becomes"]["kind"]) =>
    plan.lines.filter(({ becomes }) => becomes.kind === kind).length;
  const sum = [
    `${plural(count("rule"), "line")} bind as rules`,
    `${count("contributor")} stay text`,
    `${count("directive")} can be directives`,
    `${count("nothing")} are left out`,
  ].join(", ");
  return [
    ...files,
    ...(gone.length === 0 ? [] : [`\n  ${paint("bold", "gone")}\n`, ...gone]),
    `\n  ${sum}${same === 0 ? "" : `; ${same} unchanged`}\n\n`,
  ].join("");
}

function renderLine(line: ImportedLine, plan: ImportPlan, isAgain: boolean, { paint, columns }: Terminal): string {
  const { becomes, ids } = line;
  const [name, style] = MARKS[becomes.kind];
  const head = `  ${isAgain ? paint("green", "+") : " "} ${String(line.line).padStart(4)}  ${paint(style, name.padEnd(11))}  ${clip(oneLine(line.text), columns - 24)}\n`;
  const below = (text: string) => `${" ".repeat(22)}${text}\n`;
  switch (becomes.kind) {
    case "rule": {
      const own = plan.rules.filter(({ id }) => ids.includes(id));
      const yaml = own.map((one) => stringify([ruleJson(one)], { lineWidth: 0 }).trimEnd()).join("\n");
      const actions = Object.entries(
        Object.assign({}, ...own.map(({ draft }) => draft.actions ?? {})) as Record<string, unknown>,
      );
      return `${head}${[...actions.map(([id, action]) => `action ${id}: ${JSON.stringify(action)}`), ...yaml.split("\n")].map((text) => below(paint("dim", printableLine(text)))).join("")}`;
    }
    case "directive":
      return `${head}${below(paint("dim", `${oneLine(writeDirective(becomes))}   you are asked about it; otherwise it stays text`))}`;
    case "contributor": {
      const tags = plan.contributors.find(({ id }) => ids.includes(id))?.tags ?? [];
      const when =
        tags.length === 0 ? "every session" : tags.map(({ dimension, value }) => `${dimension}:${value}`).join(", ");
      return `${head}${below(paint("dim", `${oneLine(ids[0] ?? "")}   ${when}${becomes.note === undefined ? "" : `   (${becomes.note})`}`))}`;
    }
    case "nothing":
      return `${head}${below(paint("dim", oneLine(becomes.why)))}`;
  }
}
