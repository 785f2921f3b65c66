import { type ReactNode, useId } from "react";
import { Badge } from "../ui/badge.tsx";
import { classes } from "../ui/classes.ts";
import { Text } from "../ui/text.tsx";
import { Time } from "../ui/time.tsx";
import { type JournalEvent, lineOf } from "./line-of.ts";
import { MomentDetails } from "./moment-details.tsx";
import style from "./moment-row.module.css";
import { handlesOf, OpenResult } from "./open-result.tsx";
import { Glyph } from "./strip.tsx";

/** An event in a timeline, which expands to its details. */
export function MomentRow({
  event,
  open,
  onToggle,
  time = true,
  more: beside,
}: {
  readonly event: JournalEvent;
  readonly open: boolean;
  readonly onToggle: (event: JournalEvent) => void;
  readonly time?: boolean;
  /** Shown below the details. */
  readonly more?: ReactNode;
}) {
  const id = useId();
  const { kind, tone, what, word, more } = lineOf(event);
  // The outcome of messages and prompts that passed is obvious.
  const isPlain = tone === "passed" && (kind === "message" || kind === "prompt");
  return (
    <div className={classes(style.row, kind === "aside" && style.aside, style[tone])} data-kind={kind} data-tone={tone}>
      <div className={style.head}>
        <button
          type="button"
          className={style.line}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => onToggle(event)}
        >
          <span className={style.main}>
            {time && (
              <span className={style.time}>
                <Time at={event.at} how="clock" />
              </span>
            )}
            <Glyph event={event} />
            <Text className={classes(style.what, kind === "call" && "mono")}>{what === "" ? word : what}</Text>
            {what !== "" && !isPlain && (
              <Badge tone={kind === "aside" && tone === "passed" ? "neutral" : tone}>{word}</Badge>
            )}
          </span>
          {more !== undefined && <Text className={style.more}>{more}</Text>}
        </button>
        {!open &&
          event.type === "result" &&
          handlesOf(event)
            .slice(0, 1)
            .map((handle) => (
              <span key={handle} className={style.beside}>
                <OpenResult event={event} handle={handle} />
              </span>
            ))}
      </div>
      {open && (
        <div id={id} className={style.details}>
          <MomentDetails event={event} />
          {beside}
        </div>
      )}
    </div>
  );
}

/** A list of events; one is expanded at a time. */
export function MomentList({
  events,
  open,
  onToggle,
  label,
  empty,
  time = true,
}: {
  readonly events: readonly JournalEvent[];
  readonly open: string | undefined;
  readonly onToggle: (event: JournalEvent) => void;
  readonly label: string;
  readonly empty?: ReactNode;
  readonly time?: boolean;
}) {
  if (events.length === 0) return empty ?? null;
  return (
    <ol aria-label={label} className={style.list}>
      {events.map((event) => (
        <li key={event.id}>
          <MomentRow event={event} open={event.id === open} onToggle={onToggle} time={time} />
        </li>
      ))}
    </ol>
  );
}
