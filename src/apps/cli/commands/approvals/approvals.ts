import { formatDuration } from "../../../../base/kernel/duration.ts";
import { clip, oneLine, wrap } from "../../../shared/printable.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { commandOf, type JournalWorld, processWorld, withStore } from "../../stores/with-store.ts";
import { type OpenApproval, openApprovals } from "./open-approvals.ts";

const LABEL = 9;
const SECOND = 1_000;

export function renderApprovals(open: readonly OpenApproval[], terminal: Terminal, now: number): string {
  const { paint, invocation } = terminal;
  if (open.length === 0) return "\n  No question waits for a person.\n\n";
  const first = open.find(({ at }) => at === "daemon");
  const answer =
    first === undefined
      ? []
      : [
          `  ${paint("dim", "yes:")} ${invocation} approve ${first.approval}`,
          `  ${paint("dim", "no:")}  ${invocation} deny ${first.approval} --reason "…"`,
          "",
        ];
  return [...open.flatMap((one) => ["", ...renderApproval(one, terminal, now)]), "", ...answer, ""].join("\n");
}

/** One approval: the call, the session, the rule that asks for it, and when it expires. */
export function renderApproval(one: OpenApproval, terminal: Terminal, now: number): readonly string[] {
  const { paint, columns } = terminal;
  const left = formatDuration(Math.max(SECOND, Math.floor((one.expiresAt - now) / SECOND) * SECOND));
  const row = (label: string, text: string) =>
    wrap(text, columns - LABEL - 6).map(
      (line, at) => `    ${paint("dim", (at === 0 ? label : "").padEnd(LABEL))} ${line}`,
    );
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
  gateway: "it is a conversation of the gateway: answer it there, on its page or where the person writes",
  elsewhere: "no daemon has this session: answer it in the program that runs the agent",
} as const;

const MOST = 1_200;

/** One argument per line, so that people see what they approve. */
function inputRows({ input }: OpenApproval): readonly (readonly [string, string])[] {
  return Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [clip(oneLine(name), LABEL), clip(text, MOST)] as const;
  });
}

export const approvals = (_args: object, terminal: Terminal) => runApprovals(terminal, processWorld());

/** Lists every open approval, of all runtimes. */
export function runApprovals(terminal: Terminal, world: JournalWorld): Promise<Outcome> {
  const now = world.now();
  return withStore(
    world,
    async (store) => {
      const open = await openApprovals(store, now);
      const [first] = open.filter(({ at }) => at === "daemon");
      const next =
        first === undefined
          ? []
          : [
              { command: commandOf("approve", first.approval), description: "Say yes: one such call passes" },
              { command: commandOf("deny", first.approval), description: "Say no, for the whole session" },
              { command: commandOf("why", first.decision), description: "Why it is asked" },
            ];
      return done({ approvals: open }, renderApprovals(open, terminal, now), next);
    },
    () => done({ approvals: [] }, renderApprovals([], terminal, now)),
  );
}
