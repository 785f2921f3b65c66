import type { ToolCall } from "../../../../base/words/call.ts";
import type { Denial } from "../../../../base/words/decision.ts";
import type { ConductEvent, Moment } from "../../../../base/words/event.ts";
import {
  advised,
  cutTexts,
  type Mark,
  MOMENTS,
  nextText,
  passed,
  promptSize,
  refused,
  requiredOf,
  showCall,
  stopMark,
} from "../../../shared/event-words.ts";
import { clip, oneLine, wrap } from "../../../shared/printable.ts";
import type { Paint, Style } from "../../line/terminal.ts";

/** Columns for time, glyph and name of the moment on every line. */
const MARGIN = 23;
const LABEL = 11;

type Layout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

/** The moment's subject on the left, its outcome and rule on the right, or on a separate line if too long. */
function headLines(
  layout: Layout,
  head: {
    readonly at: number;
    readonly moment: Moment;
    readonly what: string;
    readonly came?: Mark;
    readonly by?: string;
  },
): readonly string[] {
  const { columns, paint, timeOf } = layout;
  const { glyph, style } = MOMENTS[head.moment];
  const start = `  ${paint("dim", timeOf(head.at))}  ${paint(style, `${glyph} ${head.moment.padEnd(8)}`)} `;
  const room = columns - MARGIN;
  if (head.came === undefined) return [`${start}${clip(head.what, room)}`];
  const came = `${head.came.mark} ${head.came.text}`;
  const by = head.by === undefined ? "" : `   ${head.by}`;
  const fits = Math.min(head.what.length, usualLeft(room)) + 2 + came.length + by.length <= room;
  const left = Math.max(12, Math.min(usualLeft(room), room - 2 - came.length - (fits ? by.length : 0)));
  const line = `${start}${clip(head.what, left).padEnd(left)}  ${paint(head.came.style, came)}`;
  if (fits) return [`${line}${paint("bold", by)}`];
  return [line, ...detailLines(layout, "rule", by.trim(), "bold")];
}

function detailLines({ columns, paint }: Layout, label: string, text: string, style?: Style): readonly string[] {
  const painted = (line: string) => (style === undefined ? line : paint(style, line));
  const lead = MARGIN + LABEL;
  // Only the text is coloured: the end of the dimmed label would end the colour too.
  return wrap(text, columns - lead - 1).map((line, at) => {
    const start = at === 0 ? `${" ".repeat(MARGIN)}${paint("dim", label.padEnd(LABEL - 2))}  ` : " ".repeat(lead);
    return `${start}${painted(line)}`;
  });
}

/** Speech of the agent is no moment: it is shown between them, without a time. */
export function speechLines({ columns, paint }: Layout, text: string): readonly string[] {
  const lines = wrap(`“${text}”`, columns - MARGIN);
  return lines.map((line, at) => paint("dim", `${(at === 0 ? "              agent" : "").padEnd(MARGIN)}${line}`));
}

function usualLeft(room: number): number {
  return Math.max(26, Math.floor(room * 0.42));
}

type Of<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** Renders events one by one. Remembers the calls, because a result has only the id of its call. */
export function timeline(layout: Layout): (event: ConductEvent) => readonly string[] {
  const calls = new Map<string, ToolCall>();
  return (event) => {
    switch (event.type) {
      case "message":
        return headLines(layout, { at: event.at, moment: "message", what: `“${oneLine(event.text)}”` });
      case "prompt":
        return promptLines(layout, event);
      case "call":
        calls.set(event.call.id, event.call);
        return callLines(layout, event);
      case "result":
        return resultLines(layout, event, calls.get(event.call));
      case "stop":
        return stopLines(layout, event);
      case "fault":
        return detailLines(layout, "fault", `! ${event.fault.where}: ${event.fault.message}`, "amber");
      case "requirement": {
        const names = requiredOf(event);
        return detailLines(layout, "requires", `! ${event.tool}: ${names.join(", ")}`, "amber");
      }
      // The scripted agent causes no other events.
      default:
        return [];
    }
  };
}

function promptLines(layout: Layout, event: Of<"prompt">): readonly string[] {
  const what = `${promptSize(event)} · ${event.hash.slice(0, 6)}`;
  return headLines(layout, { at: event.at, moment: "prompt", what });
}

function callLines(layout: Layout, { at, call, decision }: Of<"call">): readonly string[] {
  const head = { at, moment: "call", what: showCall(call) } as const;
  switch (decision.kind) {
    case "allow": {
      const text = decision.because === undefined ? "allowed" : `allowed, ${decision.because}`;
      const advice = decision.advice.flatMap((one) => detailLines(layout, "advice", `! ${one.text}`, "amber"));
      return [...headLines(layout, { ...head, came: passed(text) }), ...advice];
    }
    case "ask": {
      const lines = headLines(layout, {
        ...head,
        came: advised("asks"),
        by: `${decision.rule}   ${decision.approval}`,
      });
      return [...lines, ...detailLines(layout, "question", decision.question)];
    }
    case "deny":
      return [
        ...headLines(layout, { ...head, came: refused("denied"), by: `${decision.rule}   ${decision.id}` }),
        ...denialLines(layout, decision),
      ];
  }
}

function denialLines(layout: Layout, denial: Denial): readonly string[] {
  const { reason, missing, others } = denial;
  return [
    ...detailLines(layout, "because", reason),
    ...detailLines(layout, "missing", missing.map(({ what }) => what).join(" · ")),
    ...others.flatMap((other) => detailLines(layout, "also", `${other.rule}: ${other.reason}`)),
    ...detailLines(layout, "next", nextText(denial)),
  ];
}

function resultLines(layout: Layout, event: Of<"result">, call: ToolCall | undefined): readonly string[] {
  const { at, tool, outcome, exitCode, feedback } = event;
  const what = oneLine(exitCode === undefined ? tool : `${tool} exit ${exitCode}`);
  const proves = call?.proves ?? [];
  const ok = outcome === "ok";
  const proof = ok ? proves.map((name) => `proves ${name}`) : proves.length > 0 ? ["proves nothing"] : [];
  const text = [outcome, ...proof, ...cutTexts(event)].join(" · ");
  return [
    ...headLines(layout, { at, moment: "result", what, came: ok ? passed(text) : refused(text) }),
    ...feedback.flatMap(({ providerName, summary, suggestions }) => [
      ...detailLines(layout, "feedback", `! ${providerName}: ${summary}`, "amber"),
      ...suggestions.flatMap((suggestion) => detailLines(layout, "", `-> ${suggestion}`)),
    ]),
  ];
}

function stopLines(layout: Layout, event: Of<"stop">): readonly string[] {
  const { at, status, feedback, why } = event;
  const because = [status === "refused" ? undefined : why, status === "complete" ? undefined : feedback];
  return [
    ...headLines(layout, { at, moment: "stop", what: "may it stop?", came: stopMark(event) }),
    ...detailLines(layout, "because", because.filter((text) => text !== undefined).join("\n")),
  ];
}
