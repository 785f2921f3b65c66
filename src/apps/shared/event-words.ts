import type { ToolCall } from "../../base/words/call.ts";
import type { Denial } from "../../base/words/decision.ts";
import type { ConductEvent, Moment } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Requirement } from "../../base/words/result.ts";
import { count, oneLine, plural } from "./printable.ts";

type Of<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** One glyph and one colour for each moment, the same wherever a turn is shown. */
export const MOMENTS: Readonly<
  Record<Moment, { readonly glyph: string; readonly style: "cyan" | "magenta" | "blue" }>
> = {
  message: { glyph: "◦", style: "cyan" },
  prompt: { glyph: "¶", style: "magenta" },
  call: { glyph: "▸", style: "blue" },
  result: { glyph: "◂", style: "cyan" },
  stop: { glyph: "■", style: "magenta" },
};

/** What came of an event. `mark` carries the meaning of the colour in a character. */
export type Mark = {
  readonly mark: "✓" | "!" | "✗";
  readonly style: "green" | "amber" | "red";
  readonly text: string;
};

/** An event in a few words: `what` happened, what came of it, by whom; `more` is what would unblock it. */
export type EventWords = {
  readonly kind: string;
  readonly what: string;
  readonly came?: Mark;
  readonly by?: string;
  readonly more?: string;
};

/** `undefined` for events that only programs want. */
export function eventWords(event: ConductEvent): EventWords | undefined {
  switch (event.type) {
    case "message":
      return { kind: "message", what: event.text };
    case "prompt": {
      const { contract } = event;
      const last =
        contract === undefined ? event.hash.slice(0, 6) : `contract v${contract.version} ${contract.hash.slice(0, 6)}`;
      const more = contract?.degraded ? "the store could not be read, so the last known contract applies" : undefined;
      return { kind: "prompt", what: `${promptSize(event)} · ${last}`, more };
    }
    case "call":
      return showDecision(event);
    case "result": {
      const exit = event.exitCode === undefined ? [] : [`exit ${event.exitCode}`];
      const came = [event.outcome, ...exit].join(" · ");
      const advice = event.feedback.map(({ summary }) => summary).join(" · ");
      return {
        kind: "result",
        what: event.tool,
        came: event.outcome === "ok" ? passed(came) : refused(came),
        by: cutTexts(event).join(" · ") || undefined,
        more: advice && `feedback: ${advice}`,
      };
    }
    case "stop":
      return showStop(event);
    case "fault":
      return { kind: "fault", what: "", came: advised(event.fault.where), more: event.fault.message };
    case "directive": {
      const came = isTaken(event) ? passed(event.outcome) : advised(event.outcome);
      return { kind: "directive", what: event.text, came, more: event.why };
    }
    case "requirement":
      return { kind: "requires", what: event.tool, came: advised(requiredOf(event).join(", ")) };
    case "approval":
      return {
        kind: "approval",
        what: event.approval,
        came: event.answer === "no" ? refused("no") : passed(event.answer),
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
      if (event.notice.kind === "left") return { kind: "left", what: "the runtime has exited" };
      return event.notice.kind === "compacted" ? { kind: "compacted", what: "" } : undefined;
    case "verbose":
      return undefined;
  }
}

function showDecision({ call, decision, shadows, observing }: Of<"call">): EventWords {
  const head = { kind: "call", what: showCall(call) };
  switch (decision.kind) {
    case "allow": {
      const [would] = shadows ?? [];
      if (would !== undefined && observing !== undefined) {
        const came = advised((shadows ?? []).every(({ asks }) => asks) ? "would be asked" : "would be denied");
        return { ...head, came, by: `${would.rule}   ${decision.id}`, more: would.reason };
      }
      const advice = decision.advice.map(({ text }) => text).join(" · ");
      return { ...head, came: passed(decision.because ?? ""), more: advice && `advice: ${advice}` };
    }
    case "ask":
      return {
        ...head,
        came: advised("asks"),
        by: `${decision.rule}   ${decision.approval}`,
        more: decision.question,
      };
    case "deny": {
      const { rule, id } = decision;
      return { ...head, came: refused("denied"), by: `${rule}   ${id}`, more: `next: ${nextText(decision)}` };
    }
  }
}

function showStop(event: Of<"stop">): EventWords {
  const { status, feedback, why, observing } = event;
  const head = { kind: "stop", what: "" };
  if (status === "complete") return { ...head, came: stopMark(event) };
  if (status !== "refused") return { ...head, came: stopMark(event), more: why };
  const came = observing === undefined ? stopMark(event) : advised("would be refused");
  return { ...head, came, more: feedback };
}

/** What came of a stop. */
export function stopMark({ status, refusals, bound }: Of<"stop">): Mark {
  if (status === "refused") return refused(`not done (${refusals} of ${bound})`);
  return status === "complete" ? passed("done") : advised(`ended, ${status}`);
}

export function promptSize({ sections, tokens, prefixTokens }: Of<"prompt">): string {
  return `${plural(sections.length, "section")} · ${plural(tokens, "token")} (${count(prefixTokens)} cached)`;
}

/** How much of each result was cut. */
export function cutTexts({ truncation }: Of<"result">): readonly string[] {
  return truncation.map(
    ({ original, estimated, kept, handle }) =>
      `${estimated ? "~" : ""}${count(original)} → ${count(kept)} tokens${handle === undefined ? "" : ` · ${handle}`}`,
  );
}

/** What the agent should do after a denial, and how often it may still try. */
export function nextText({ next, attemptsLeft }: Pick<Denial, "next" | "attemptsLeft">): string {
  return `${next}${attemptsLeft > 0 ? ` (${plural(attemptsLeft, "attempt")} left)` : ""}`;
}

/** The directive is in force. */
function isTaken({ outcome }: Of<"directive">): boolean {
  return outcome === "added" || outcome === "repeated" || outcome === "absorbed";
}

export function passed(text: string): Mark {
  return { mark: "✓", style: "green", text };
}

export function refused(text: string): Mark {
  return { mark: "✗", style: "red", text };
}

export function advised(text: string): Mark {
  return { mark: "!", style: "amber", text };
}

/** A call in a few words: the tool, and what tells this call from another. */
export function showCall({ tool, args }: Pick<ToolCall, "tool" | "args">): string {
  return oneLine(`${tool} ${showArgs(tool, args)}`);
}

function showArgs(tool: string, args: JsonObject): string {
  if (tool === "shell" && typeof args.command === "string") return `"${args.command}"`;
  const { path = args.file_path, handle, offset } = args;
  if (typeof path === "string") return path;
  if (typeof handle === "string") return typeof offset === "number" ? `${handle} from ${offset}` : handle;
  return Object.keys(args).length === 0 ? "" : JSON.stringify(args).slice(0, 200);
}

/** Everything that a trusted tool asks for. */
export function requiredOf({ requireBeforeNext, escalateToOwner }: Requirement): readonly string[] {
  return [...requireBeforeNext, ...(escalateToOwner ? ["a review by the operator"] : [])];
}
