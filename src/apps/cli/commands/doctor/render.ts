import { homedir } from "node:os";
import { hang, oneLine, plural, wrap } from "../../../shared/printable.ts";
import { asTyped } from "../../line/invocation.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";

/** The result of one check. `warns`: it works, but a person should know; `fails`: a requirement is not met. */
export type Check = {
  readonly kind: "holds" | "warns" | "fails";
  readonly what: string;
  readonly text: string;
  readonly fix?: string;
};

/** The checks of one runtime; `open` is what Conduct cannot enforce there. */
export type RuntimeCheckup = {
  readonly runtime: string;
  readonly title: string;
  readonly checks: readonly Check[];
  readonly open: string;
};

export function holds(what: string, text: string): Check {
  return { kind: "holds", what, text };
}

export function warns(what: string, text: string, fix?: string): Check {
  return { kind: "warns", what, text, fix };
}

export function fails(what: string, text: string, fix: string): Check {
  return { kind: "fails", what, text, fix };
}

/** No check can ensure this. */
const ISOLATION =
  "the agent runs on your account. Conduct decides on what its runtime reports; it does not isolate a program that tries to bypass it";

const MARKS = {
  holds: { mark: "✓", style: "green" },
  warns: { mark: "!", style: "amber" },
  fails: { mark: "✗", style: "red" },
} as const;
const LABEL = 11;

/** One line per check, with the fix below it where there is one. `whole`: no runtime was named. */
function renderDoctor(
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
      ...labelled(paint("dim", "○"), "limits", open, terminal),
      "",
    ]),
    ...none,
    ...(whole
      ? [
          `  ${paint("dim", "For an editor that speaks ACP:")} ${terminal.invocation} init acp`,
          `  ${paint("dim", "For a client of MCP servers:")} ${terminal.invocation} init mcp`,
          "",
        ]
      : []),
    ...wrap(`Limit: ${ISOLATION}.`, terminal.columns - 4).map((line) => `  ${paint("dim", line)}`),
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
  return [...lines, `${" ".repeat(LABEL + 4)}${paint("dim", "do:")} ${asTyped(oneLine(fix), invocation)}`];
}

function labelled(mark: string, label: string, text: string, { columns }: Terminal): readonly string[] {
  return hang(`  ${mark} ${label.padEnd(LABEL)}`, text, columns);
}

/** Fails if any check failed. `whole`: no runtime was named. */
export function doctorOutcome(
  machine: readonly Check[],
  runtimes: readonly RuntimeCheckup[],
  whole: boolean,
  terminal: Terminal,
): Outcome {
  const text = renderDoctor(machine, runtimes, whole, terminal);
  const failing = [...machine, ...runtimes.flatMap(({ checks }) => checks)].filter(({ kind }) => kind === "fails");
  const result = { conduct: machine, runtimes, isolation: ISOLATION };
  if (failing.length === 0) {
    const next = runtimes.length > 0 ? [] : [{ command: "conduct init claude-code", description: "Set up a runtime" }];
    return done(result, text, next);
  }
  const message = `${plural(failing.length, "check")} failed`;
  const fix = failing[0]?.fix ?? "see above";
  const next = failing.flatMap((one) =>
    one.fix?.startsWith("conduct ") ? [{ command: one.fix, description: one.text }] : [],
  );
  return failed("DOCTOR_FOUND", message, fix, { result, text, next });
}
