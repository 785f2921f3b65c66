import type { ConductEvent, Moment } from "../../../../base/words/event.ts";
import type { Paint } from "../../line/paint.ts";
import { clip, count, oneLine, plural, wrap } from "../../line/printable.ts";
import { type Mark, MOMENTS } from "../../timeline/layout.ts";
import { showCall } from "../../timeline/show-call.ts";

export type WatchLayout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

/** `what` happened, what came of it, by whom; `more` is what would unblock it, on a line of its own. */
type Shown = {
  readonly kind: string;
  readonly what: string;
  readonly came?: Mark;
  readonly by?: string;
  readonly more?: string;
};

const KIND = 11;
const WIDEST_NAME = 26;
/** What came of it stands in one column, where what it was about is no longer than this. */
const COLUMN = 28;
const WIDEST = 44;
/** Of what it was about, so much is always shown. */
const LEAST = 12;

/** Shows events of many sessions, as lines. What only programs want is left out. */
export function watchLines({
  columns,
  paint,
  timeOf,
}: WatchLayout): (event: ConductEvent, name: string) => readonly string[] {
  // Grows with the names that come, so that what stands behind them stays in one column.
  let width = 12;
  return (event, name) => {
    const shown = show(event);
    if (shown === undefined) return [];
    width = Math.min(WIDEST_NAME, Math.max(width, name.length));
    const margin = 1 + 8 + 2 + width + 2 + KIND;
    const room = Math.max(30, columns - margin);
    const start = ` ${paint("dim", timeOf(event.at))}  ${clip(name, width).padEnd(width)}  ${paintKind(shown.kind, paint)}`;
    // All of it is foreign: nothing in it may steer the terminal.
    const what = oneLine(shown.what);
    const by = shown.by === undefined ? undefined : oneLine(shown.by);
    const { came, more = "" } = shown;
    const below = (text: string, style: "dim" | "bold") =>
      wrap(text, columns - margin).map((line) => `${" ".repeat(margin)}${paint(style, line)}`);
    const also = below(more, "dim");
    if (came === undefined) return [`${start}${clip(what, room)}`.trimEnd(), ...also];
    const mark = oneLine(`${came.mark} ${came.text}`);
    const beside = by === undefined ? 0 : 3 + by.length;
    const least = what === "" ? 0 : Math.max(LEAST, Math.min(COLUMN, what.length));
    const inLine = least + 2 + mark.length + beside <= room;
    const most = Math.max(LEAST, room - 2 - mark.length - (inLine ? beside : 0));
    const left = what === "" ? 0 : Math.min(most, Math.max(COLUMN, Math.min(what.length, WIDEST)));
    const result = paint(came.style, clip(mark, Math.max(12, room - left - 2)));
    const head = what === "" ? `${start}${result}` : `${start}${clip(what, left).padEnd(left)}  ${result}`;
    if (by === undefined) return [head, ...also];
    if (inLine) return [`${head}   ${paint("bold", by)}`, ...also];
    return [head, ...below(by, "bold"), ...also];
  };
}

function paintKind(kind: string, paint: Paint): string {
  const moment = kind in MOMENTS ? MOMENTS[kind as Moment] : undefined;
  if (moment === undefined) return paint("dim", `  ${kind}`.padEnd(KIND));
  return paint(moment.style, `${moment.glyph} ${kind}`.padEnd(KIND));
}

function show(event: ConductEvent): Shown | undefined {
  switch (event.type) {
    case "message":
      return { kind: "message", what: event.text };
    case "prompt": {
      const size = `${plural(event.tokens, "token")} (${count(event.prefixTokens)} cached)`;
      const { contract } = event;
      const last =
        contract === undefined ? event.hash.slice(0, 6) : `contract v${contract.version} ${contract.hash.slice(0, 6)}`;
      const degraded =
        contract?.degraded === true ? { more: "the contract is the last known one: the store could not be read" } : {};
      return { kind: "prompt", what: `${plural(event.sections.length, "section")} · ${size} · ${last}`, ...degraded };
    }
    case "call":
      return showDecision(event);
    case "result": {
      const cut = event.truncation.map(
        ({ original, estimated, kept, handle }) =>
          `${estimated ? "~" : ""}${count(original)} → ${count(kept)} tokens${handle === undefined ? "" : ` · ${handle}`}`,
      );
      const exit = event.exitCode === undefined ? [] : [`exit ${event.exitCode}`];
      const came = [event.outcome, ...exit].join(" · ");
      const by = cut.length === 0 ? {} : { by: cut.join(" · ") };
      const advice = event.feedback.map(({ summary }) => summary).join(" · ");
      const more = advice === "" ? {} : { more: `feedback: ${advice}` };
      return {
        kind: "result",
        what: event.tool,
        came: event.outcome === "ok" ? good(came) : bad(came),
        ...by,
        ...more,
      };
    }
    case "stop":
      return showStop(event);
    case "fault":
      return { kind: "fault", what: "", came: amber(event.fault.where), more: event.fault.message };
    case "directive": {
      const taken = event.outcome === "added" || event.outcome === "repeated" || event.outcome === "absorbed";
      const came = taken ? good(event.outcome) : amber(event.outcome);
      const more = event.why === undefined ? {} : { more: event.why };
      return { kind: "directive", what: event.text, came, ...more };
    }
    case "requirement":
      return { kind: "requires", what: event.tool, came: amber(event.requireBeforeNext.join(", ")) };
    case "approval":
      return {
        kind: "approval",
        what: event.approval,
        came: event.answer === "yes" ? good("yes") : bad("no"),
        by: event.by,
        more: event.reason,
      };
    case "classification":
      return { kind: "about", what: `${event.classification.topic} · ${event.classification.label}` };
    case "instructions":
      return { kind: "instructed", what: `+${event.added.length} -${event.removed.length} · version ${event.version}` };
    case "memory":
      return { kind: "remembers", what: event.note };
    case "session":
      return { kind: event.change, what: event.detail ?? event.user ?? "" };
    case "notice":
      if (event.notice.kind === "ended") return { kind: "ended", what: event.notice.reason ?? "" };
      return event.notice.kind === "compacted" ? { kind: "compacted", what: "" } : undefined;
    case "verbose":
      return undefined;
  }
}

function showDecision({ call, decision, shadows, observing }: Extract<ConductEvent, { type: "call" }>): Shown {
  const head = { kind: "call", what: showCall(call) };
  switch (decision.kind) {
    case "allow": {
      const [would] = shadows ?? [];
      if (would !== undefined && observing !== undefined) {
        return { ...head, came: amber("would be denied"), by: `${would.rule}   ${decision.id}`, more: would.reason };
      }
      const advice = decision.advice.map(({ text }) => text).join(" · ");
      const text = decision.because === undefined ? "" : decision.because;
      return { ...head, came: good(text), ...(advice === "" ? {} : { more: `advice: ${advice}` }) };
    }
    case "ask":
      return {
        ...head,
        came: amber("asks"),
        by: `${decision.rule}   ${decision.approval}`,
        more: decision.question,
      };
    case "deny": {
      const { rule, id, next, attemptsLeft } = decision;
      const left = attemptsLeft > 0 ? ` (${plural(attemptsLeft, "attempt")} left)` : "";
      return { ...head, came: bad("denied"), by: `${rule}   ${id}`, more: `next: ${next}${left}` };
    }
  }
}

function showStop({
  status,
  feedback = "",
  refusals,
  bound,
  why = "",
  observing,
}: Extract<ConductEvent, { type: "stop" }>): Shown {
  const kind = "stop";
  if (status === "complete") return { kind, what: "", came: good("done") };
  if (status !== "refused") return { kind, what: "", came: amber(`ended, ${status}`), more: why };
  if (observing !== undefined) return { kind, what: "", came: amber("would not be done"), more: feedback };
  return {
    kind,
    what: "",
    came: bad(`not done (${refusals} of ${bound})`),
    more: feedback,
  };
}

function good(text: string): Mark {
  return { mark: "✓", style: "green", text };
}
function bad(text: string): Mark {
  return { mark: "✗", style: "red", text };
}
function amber(text: string): Mark {
  return { mark: "!", style: "amber", text };
}
