import { formatDuration } from "../../../../base/kernel/duration.ts";
import { type AlwaysAllowed, alwaysAllowed } from "../../../shared/always-allowed.ts";
import { type OpenApproval, openApprovals } from "../../../shared/open-approvals.ts";
import { clip, hang, oneLine } from "../../../shared/printable.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { commandOf, type JournalWorld, processWorld, withStore } from "../../stores/with-store.ts";

const LABEL = 9;
const SECOND = 1_000;

export function renderApprovals(
  open: readonly OpenApproval[],
  always: readonly AlwaysAllowed[],
  terminal: Terminal,
  now: number,
): string {
  const { paint, invocation } = terminal;
  const allowed = renderAlways(always, terminal, now);
  if (open.length === 0) return ["", "  No call waits for approval.", ...allowed, "", ""].join("\n");
  const first = open.find(({ at }) => at === "daemon");
  const answer =
    first === undefined
      ? []
      : [
          `  ${paint("dim", "yes:")}    ${invocation} approve ${first.approval}`,
          ...(first.remember === true
            ? [`  ${paint("dim", "always:")} ${invocation} approve ${first.approval} --always`]
            : []),
          `  ${paint("dim", "no:")}     ${invocation} deny ${first.approval} --reason "…"`,
          "",
        ];
  const rows = open.flatMap((one) => ["", ...renderApproval(one, terminal, now)]);
  return [...rows, "", ...answer, ...allowed, ""].join("\n");
}

/** What is allowed for the rest of a session, with the command that ends it. */
function renderAlways(always: readonly AlwaysAllowed[], terminal: Terminal, now: number): readonly string[] {
  const { paint, columns, invocation } = terminal;
  const row = (label: string, text: string) => hang(`    ${paint("dim", label.padEnd(LABEL))} `, text, columns);
  return always.flatMap((one) => [
    "",
    `  ${paint("green", "✓")} ${paint("bold", one.approval)}  ${oneLine(one.tool)}  ${paint("dim", "always allowed in this session")}`,
    ...row("rule", one.rule),
    ...row("asked", one.question.split("\n")[0] ?? ""),
    ...row("session", `${one.session} (${one.agent})`),
    ...row("by", `${oneLine(one.by)}, ${formatDuration(now - one.answeredAt)} ago`),
    ...row("end it", one.at === "daemon" ? `${invocation} deny ${one.approval}` : WHERE.gateway),
  ]);
}

/** One approval: the call, the session, the rule that asks for it, and when it expires. */
export function renderApproval(one: OpenApproval, terminal: Terminal, now: number): readonly string[] {
  const { paint, columns } = terminal;
  const left = formatDuration(Math.max(SECOND, Math.floor((one.expiresAt - now) / SECOND) * SECOND));
  const row = (label: string, text: string) => hang(`    ${paint("dim", label.padEnd(LABEL))} `, text, columns);
  return [
    `  ${paint("amber", "?")} ${paint("bold", one.approval)}  ${oneLine(one.tool)}  ${paint("dim", `expires in ${left}`)}`,
    ...inputRows(one).flatMap(([name, text]) => row(name, text)),
    ...row("rule", one.rule),
    ...row("asks", one.question),
    ...row("session", `${one.session} (${one.agent})`),
    ...(one.at === "daemon" ? [] : row("where", WHERE[one.at])),
  ];
}

/** Where to answer an approval that belongs to a session outside the daemon. */
export const WHERE = {
  gateway: "this session runs in the gateway: answer it in the console or in the chat",
  elsewhere: "the daemon does not run this session: answer it in the program that runs the agent",
} as const;

const MOST = 1_200;

/** One argument per line, so that people see what they approve. */
function inputRows({ input }: OpenApproval): readonly (readonly [string, string])[] {
  return Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [clip(oneLine(name), LABEL), clip(text, MOST)] as const;
  });
}

/** Lists every open approval of all runtimes, and what is allowed for the rest of a session. */
export function approvals(_args: object, terminal: Terminal, world: JournalWorld = processWorld()): Promise<Outcome> {
  const now = world.now();
  return withStore(
    world,
    async (store) => {
      const open = await openApprovals(store, now);
      const always = await alwaysAllowed(store, now);
      const [first] = open.filter(({ at }) => at === "daemon");
      const next =
        first === undefined
          ? []
          : [
              { command: commandOf("approve", first.approval), description: "Approve it: one such call runs" },
              { command: commandOf("deny", first.approval), description: "Deny it for the rest of the session" },
              { command: commandOf("why", first.decision), description: "Show why it asks" },
            ];
      return done({ approvals: open, always }, renderApprovals(open, always, terminal, now), next);
    },
    () => done({ approvals: [], always: [] }, renderApprovals([], [], terminal, now)),
  );
}
