import { homedir } from "node:os";
import { type Check, ISOLATION, type RuntimeCheckup } from "./doctor-check.ts";
import { oneLine, wrap } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

const MARKS = {
  holds: { mark: "✓", style: "green" },
  warns: { mark: "!", style: "amber" },
  fails: { mark: "✗", style: "red" },
} as const;
const LABEL = 11;

/** A line for each thing that was looked at; under it what to do, where something is to be done. `whole`: no runtime was named. */
export function renderDoctor(
  machine: readonly Check[],
  runtimes: readonly RuntimeCheckup[],
  whole: boolean,
  terminal: Terminal,
): string {
  const { paint } = terminal;
  const none =
    runtimes.length === 0
      ? ["  No runtime is set up yet.", `  ${paint("dim", "try:")} ${terminal.invocation} init claude-code`, ""]
      : [];
  const lines = [
    "",
    `  ${paint("bold", "Conduct")}`,
    ...machine.flatMap((check) => renderCheck(check, terminal)),
    "",
    ...runtimes.flatMap(({ title, checks, open }) => [
      `  ${paint("bold", title)}`,
      ...checks.flatMap((check) => renderCheck(check, terminal)),
      ...labelled(paint("dim", "○"), "open", open, terminal),
      "",
    ]),
    ...none,
    ...(whole
      ? [
          `  ${paint("dim", "An editor that speaks ACP needs no set-up:")} ${terminal.invocation} init acp`,
          `  ${paint("dim", "Nor does a client of MCP servers:")} ${terminal.invocation} init mcp`,
          "",
        ]
      : []),
    ...wrap(`Not claimed: ${ISOLATION}.`, terminal.columns - 4).map((line) => `  ${paint("dim", line)}`),
    "",
    "",
  ];
  return lines.join("\n");
}

function renderCheck({ kind, what, text, fix }: Check, terminal: Terminal): readonly string[] {
  const { paint, invocation } = terminal;
  const { mark, style } = MARKS[kind];
  const lines = labelled(paint(style, mark), what, text.replaceAll(`${homedir()}/`, "~/"), terminal);
  if (fix === undefined) return lines;
  return [...lines, `${" ".repeat(LABEL + 4)}${paint("dim", "do:")} ${oneLine(fix).replace(/^conduct\b/, invocation)}`];
}

function labelled(mark: string, label: string, text: string, { columns }: Terminal): readonly string[] {
  return wrap(text, columns - LABEL - 6).map((line, at) =>
    at === 0 ? `  ${mark} ${label.padEnd(LABEL)}${line}` : `${" ".repeat(LABEL + 4)}${line}`,
  );
}
