import type { KeptEvent } from "../../../../base/ports/stores/event-journal.ts";
import type { Objection } from "../../../../base/words/decision.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { showCall } from "../../../shared/event-words.ts";
import type { OpenApproval } from "../../../shared/open-approvals.ts";
import { hang, oneLine, plural } from "../../../shared/printable.ts";
import type { InForce, Seen, WhyFacts } from "../../../shared/why-facts.ts";
import { asTyped } from "../../line/invocation.ts";
import type { Paint } from "../../line/terminal.ts";
import { sessionName } from "../../stores/with-store.ts";
import { WHERE } from "../approvals/approvals.ts";

const LABEL = 10;
const MOST_THERE = 8;

type Row = readonly [label: string, text: string];
export type WhyLayout = {
  readonly columns: number;
  readonly paint: Paint;
  readonly invocation: string;
  readonly timeOf: (at: number) => string;
};

type WhyContext = {
  readonly answers: readonly ConductEvent[];
  readonly open?: OpenApproval;
  /** Other calls that would have been stopped. */
  readonly earlier?: readonly Of<"call">[];
};
type Of<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** Explains one event: what, by whom, why, what next, and the rules in force. */
export function renderWhy(
  { event }: KeptEvent,
  facts: WhyFacts,
  { answers, open, earlier = [] }: WhyContext,
  { columns, paint, invocation, timeOf }: WhyLayout,
): string {
  const rows = [
    ...aboutRows(event, facts, { timeOf, invocation }),
    ...answers.flatMap((one): readonly Row[] =>
      one.type === "approval" ? [["answered", `${one.answer} by ${one.by} at ${timeOf(one.at)}${reasonOf(one)}`]] : [],
    ),
    ...(open === undefined ? [] : [["answer", answerText(open, invocation)] as const]),
    ["in force", inForceText(facts.inForce)] as const,
    ["where", whereText(event, facts, timeOf)] as const,
    ...earlier.map(({ call, decision }, at): Row => [at === 0 ? "earlier" : "", `${decision.id}  ${showCall(call)}`]),
  ].filter(([, text]) => text !== "");
  const lines = rows.flatMap(([label, text], row) =>
    hang(`  ${paint(row === 0 ? styleOf(event) : "dim", label.padEnd(LABEL))}`, text, columns),
  );
  return `\n${lines.join("\n")}\n\n`;
}

function aboutRows(
  event: ConductEvent,
  { needed, there, late }: WhyFacts,
  { timeOf, invocation }: Pick<WhyLayout, "timeOf" | "invocation">,
): readonly Row[] {
  switch (event.type) {
    case "call": {
      const { decision, shadows = [] } = event;
      const call = showCall(event.call);
      const shadowed: readonly Row[] = shadows.map((one) => [
        "shadow",
        `${ruleText(one)} would have ${one.asks ? "asked" : "denied it"}: ${one.reason}`,
      ]);
      if (decision.kind === "allow") {
        const because = asTyped(ALLOWED_BECAUSE[decision.because ?? "none"], invocation);
        const advice: readonly Row[] = decision.advice.map(({ rule, text }) => ["advice", `${rule}: ${text}`]);
        return [["allowed", call], ["because", because], ...advice, ...shadowed];
      }
      if (decision.kind === "ask") {
        const until = `approval ${decision.approval}, until ${timeOf(decision.expiresAt)}`;
        return [
          ["asks", `${call}   by rule ${ruleText(decision)}`],
          ["question", `${decision.question}${decision.question.includes("\n") ? "\n" : " "}(${until})`],
          ...shadowed,
        ];
      }
      const { reason, others, next, attemptsLeft, endTurn } = decision;
      const left = `${plural(attemptsLeft, "attempt")} left before it is withdrawn for this turn`;
      const then = endTurn ? "the turn ended here" : attemptsLeft > 0 ? left : "withdrawn for the rest of this turn";
      return [
        ["denied", `${call}   by rule ${ruleText(decision)}`],
        ["because", reason],
        ...needed.map(({ missing, seen }): Row => {
          const had = seen === undefined ? "" : `${seenText(seen, timeOf)}; `;
          // The rule's "not seen" is true for the rule, but would mislead here.
          return ["needs", `✗ ${missing.what}: ${seen?.kind === "early" ? had.slice(0, -2) : `${had}${missing.why}`}`];
        }),
        [
          "since",
          late === undefined
            ? ""
            : `rule ${late.rule} was added at ${timeOf(late.addedAt)}, during this session: it counts calls from ${timeOf(late.countsFrom)}, the start of the next turn`,
        ],
        ["there", needed.some(({ seen }) => seen !== undefined) ? thereText(there, timeOf) : ""],
        ...others.map((other): Row => ["also", `${ruleText(other)}: ${other.reason}`]),
        ["next", `${next} (${then})`],
        ...shadowed,
      ];
    }
    case "stop": {
      const refused = event.status === "refused";
      const what = refused
        ? `the agent may not stop yet (${event.refusals} of ${event.bound})`
        : `the turn ended: ${event.status}`;
      return [
        ["stop", what],
        ["because", event.why ?? ""],
        [refused ? "next" : "left open", event.feedback ?? ""],
      ];
    }
    case "fault":
      return [
        event.fault.decision === undefined
          ? ["fault", `${event.fault.where}: ${event.fault.message}`]
          : ["denied", `a call that could not be decided: ${event.fault.message}`],
        ["code", event.fault.code],
      ];
    case "result":
      return [
        ["result", `${event.tool} ${event.outcome}`],
        ["feedback", event.feedback.map(({ summary }) => summary).join(" · ")],
      ];
    case "directive":
      return [
        ["directive", `${event.outcome}: ${event.text}`],
        ["because", event.why ?? ""],
      ];
    case "approval":
      return [["approval", `${event.approval}: ${event.answer} by ${event.by}${reasonOf(event)}`]];
    case "message":
      return [
        ["message", event.text],
        ["answered", event.reply ?? ""],
      ];
    case "prompt":
      return [
        ["prompt", `${plural(event.sections.length, "section")}, ${plural(event.tokens, "token")}, hash ${event.hash}`],
        ["sections", event.sections.map(({ contributor, tokens }) => `${contributor} ${tokens}`).join(" · ")],
        ["left out", event.cuts.map((cut) => cut.contributor).join(", ")],
      ];
    default: {
      const {
        v: _v,
        id: _id,
        seq: _seq,
        at: _at,
        session: _s,
        parent: _p,
        agent: _a,
        run: _r,
        turn: _t,
        type,
        ...body
      } = event;
      return [[type, JSON.stringify(body)]];
    }
  }
}

function answerText({ at, approval }: OpenApproval, invocation: string): string {
  if (at !== "daemon") return WHERE[at];
  return `still open: ${invocation} approve ${approval}, or ${invocation} deny ${approval}`;
}

/** A rule, with its place in the file if it came from one. */
function ruleText({ rule, place }: Pick<Objection, "rule" | "place">): string {
  return place === undefined ? rule : `${rule} (${place.file}:${place.line})`;
}

const ALLOWED_BECAUSE = {
  elevated: "the session was elevated; otherwise it would have been denied",
  approved: "a person approved it",
  shadow: "this runtime is in shadow mode; `conduct enforce` enforces the rules",
  paused: "the operator had paused Conduct",
  none: "no rule objected",
};

function seenText(seen: Seen, timeOf: (at: number) => string): string {
  if (seen.kind === "never") return "never ran";
  if (seen.kind === "early") return `ok at ${timeOf(seen.at)}, before the rule existed, so it has to run again`;
  return seen.kind === "ok"
    ? `ok at ${timeOf(seen.at)}, which does not count here`
    : `${seen.outcome} at ${timeOf(seen.at)}`;
}

function thereText(there: WhyFacts["there"], timeOf: (at: number) => string): string {
  if (there.length === 0) return "nothing was proven in this session yet";
  const shown = there.slice(0, MOST_THERE).map(({ name, at }) => `✓ ${name} ${timeOf(at)}`);
  const rest = there.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(" · ");
}

function inForceText({ modes, contract }: InForce): string {
  const on = [modes?.think === true ? "think" : "", modes?.verbose === true ? "verbose" : ""].filter(
    (mode) => mode !== "",
  );
  return [
    ...(contract === undefined ? [] : [contractText(contract)]),
    on.length === 0 ? "no modes" : `modes ${on.join(", ")}`,
    modes?.elevated === true ? "elevated" : "not elevated",
  ].join(" · ");
}

function contractText({ hash, version, directives, degraded }: NonNullable<InForce["contract"]>): string {
  const named = `contract${version === undefined ? "" : ` v${version}`} ${hash.slice(0, 6)}`;
  const size = directives === 0 ? ", empty" : "";
  return `${named}${size}${degraded === true ? ", last known: the store could not be read" : ""}`;
}

function whereText(event: ConductEvent, { session }: WhyFacts, timeOf: (at: number) => string): string {
  const name = sessionName({ ...event, ...(session?.channel === undefined ? {} : { channel: session.channel }) });
  const label = session?.label === undefined ? [] : [`“${oneLine(session.label)}”`];
  return [name, ...label, `turn ${event.turn}`, timeOf(event.at), `session ${event.session}`, `event ${event.id}`].join(
    " · ",
  );
}

function styleOf(event: ConductEvent): "red" | "amber" | "green" | "bold" {
  if (event.type === "call")
    return event.decision.kind === "deny" ? "red" : event.decision.kind === "ask" ? "amber" : "green";
  if (event.type === "stop") return event.status === "refused" ? "red" : "bold";
  return event.type === "fault" ? "amber" : "bold";
}

function reasonOf({ reason }: { readonly reason?: string }): string {
  return reason === undefined ? "" : `: ${oneLine(reason)}`;
}
