import { assertNever } from "../../base/kernel/assert-never.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { BehaviorDirective, ContractEvent } from "../../base/words/contract.ts";
import type { Denial } from "../../base/words/decision.ts";
import type { ConductEvent, Moment } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { writeCheck } from "../../behavior/contract/directive-check.ts";
import { writeDirective } from "../../behavior/contract/parse/directive-form.ts";
import { count, oneLine, plural } from "./printable.ts";

type Of<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** One glyph and one colour per kind of moment, the same in every view. */
export const MOMENTS: Readonly<
  Record<Moment, { readonly glyph: string; readonly style: "cyan" | "magenta" | "blue" }>
> = {
  message: { glyph: "◦", style: "cyan" },
  prompt: { glyph: "¶", style: "magenta" },
  call: { glyph: "▸", style: "blue" },
  result: { glyph: "◂", style: "cyan" },
  stop: { glyph: "■", style: "magenta" },
};

/** The outcome of an event. `mark` expresses the meaning of the colour as a character. */
export type Mark = {
  readonly mark: "✓" | "!" | "✗";
  readonly style: "green" | "amber" | "red";
  readonly text: string;
};

/** A short description of an event: `what` happened, its outcome and its rule; `more` says how to unblock it. */
export type EventWords = {
  readonly kind: string;
  readonly what: string;
  readonly came?: Mark;
  readonly by?: string;
  readonly more?: string;
};

/** Returns `undefined` for events that are of interest to programs only. */
export function eventWords(event: ConductEvent): EventWords | undefined {
  switch (event.type) {
    case "message":
      return { kind: "message", what: event.text };
    case "prompt": {
      const { contract } = event;
      const last =
        contract === undefined ? event.hash.slice(0, 6) : `contract v${contract.version} ${contract.hash.slice(0, 6)}`;
      const more = contract?.degraded ? "the contract is the last known one: the store could not be read" : undefined;
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
      return { kind: "requires", what: event.tool, came: advised(event.requireBeforeNext.join(", ")) };
    case "approval":
      return {
        kind: "approval",
        what: event.approval,
        came: event.answer === "yes" ? passed("yes") : refused("no"),
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

function showDecision({ call, decision, shadows, observing }: Of<"call">): EventWords {
  const head = { kind: "call", what: showCall(call) };
  switch (decision.kind) {
    case "allow": {
      const [would] = shadows ?? [];
      if (would !== undefined && observing !== undefined) {
        return { ...head, came: advised("would be denied"), by: `${would.rule}   ${decision.id}`, more: would.reason };
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
  const came = observing === undefined ? stopMark(event) : advised("would not be done");
  return { ...head, came, more: feedback };
}

export function stopMark({ status, refusals, bound }: Of<"stop">): Mark {
  if (status === "refused") return refused(`not done (${refusals} of ${bound})`);
  return status === "complete" ? passed("done") : advised(`ended, ${status}`);
}

export function promptSize({ sections, tokens, prefixTokens }: Of<"prompt">): string {
  return `${plural(sections.length, "section")} · ${plural(tokens, "token")} (${count(prefixTokens)} cached)`;
}

export function cutTexts({ truncation }: Of<"result">): readonly string[] {
  return truncation.map(
    ({ original, estimated, kept, handle }) =>
      `${estimated ? "~" : ""}${count(original)} → ${count(kept)} tokens${handle === undefined ? "" : ` · ${handle}`}`,
  );
}

/** The agent's next step after a denial, and how many attempts are left. */
export function nextText({ next, attemptsLeft }: Pick<Denial, "next" | "attemptsLeft">): string {
  return `${next}${attemptsLeft > 0 ? ` (${plural(attemptsLeft, "attempt")} left)` : ""}`;
}

/** True if the directive is in force. */
export function isTaken({ outcome }: Of<"directive">): boolean {
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

/** Describes a call briefly: the tool, and the argument that identifies the call. */
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

/** Describes a change of the contract briefly, with ids that can be looked up. */
export function describeEvent(event: ContractEvent): string {
  switch (event.kind) {
    case "directive-added":
      return `added ${named(event.directive)}${absorbed(event.absorbed)}`;
    case "directive-repeated":
      return `said again: '${writeDirective(event)}' (${event.of} says it)`;
    case "directive-removed":
      return `removed ${named(event.directive)}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "directive-replaced":
      return `replaced ${named(event.removed)} by ${named(event.directive)}${absorbed(event.absorbed)}`;
    case "directives-expired":
      return `over: ${event.directives.map(named).join(", ")}`;
    case "contract-applied":
      return event.dropped.length === 0
        ? "checked again, nothing to change"
        : `checked again, dropped ${event.dropped.map(({ directive, sameAs }) => `${named(directive)}, the same as ${sameAs}`).join("; ")}`;
    case "contract-undone":
      return `took change ${event.undoes} back${listed("; gone", event.dropped)}${listed("; back", event.restored)}`;
    case "candidate-proposed":
      return `proposed ${named(event.candidate)}`;
    case "candidate-merged":
      return `proposed again: ${event.id}, ${event.evidence.length} pieces of evidence`;
    case "candidate-edited":
      return `edited ${event.id}: '${writeDirective(event)}'`;
    case "candidate-promoted":
      return `promoted ${event.id} to ${named(event.directive)}${absorbed(event.absorbed)}`;
    case "candidate-demoted":
      return `promoted ${event.id}: took away ${named(event.directive)}`;
    case "directive-marked":
      return `marked ${event.id} ${event.mark}${event.note === undefined ? "" : `: ${event.note}`}`;
    case "rule-added":
      return `made ${event.rule.from ?? "a rule"} hard: rule ${event.rule.id} (${event.rule.scope}), ${event.rule.status}`;
    case "rule-enforced":
      return `rule ${event.id} is enforced`;
    case "rule-shadowed":
      return `rule ${event.id} only records${event.until === undefined ? "" : ` until ${event.until}`}`;
    case "rule-removed":
      return `removed rule ${event.rule.id}${event.reason === undefined ? "" : `: ${event.reason}`}`;
    case "directive-checked":
      return event.check === null
        ? `${event.id} is no longer measured`
        : `${event.id} is measured by '${writeCheck(event.check)}'`;
    case "candidate-covered":
      return `promoted ${event.id}, which ${event.of} says already`;
    case "candidate-blocked":
      return `could not promote ${event.id}: ${event.reason}`;
    case "candidate-rejected":
      return `rejected ${event.id}: ${event.reason}`;
    case "candidate-snoozed":
      return `put ${event.id} off until ${event.until}`;
    case "candidates-expired":
      return `nobody decided on ${event.ids.join(", ")} in time`;
    default:
      return assertNever(event);
  }
}

function named(one: Pick<BehaviorDirective, "id" | "type" | "text" | "scope">): string {
  return `'${writeDirective(one)}' (${one.id}${one.scope === "global" ? "" : `, ${one.scope}`})`;
}

function absorbed(directives: readonly BehaviorDirective[]): string {
  return listed("; in the place of", directives);
}

function listed(before: string, directives: readonly BehaviorDirective[]): string {
  return directives.length === 0 ? "" : `${before} ${directives.map(named).join(", ")}`;
}
