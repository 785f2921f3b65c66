import { memo } from "react";
import { Link } from "wouter";
import { isMoment, type JournalEvent } from "../../moments/line-of.ts";
import { Strip } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { figure } from "../../ui/data/token-bar.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./session-view.module.css";
import type { TimelineTurn } from "./timeline-rows.ts";

/** Maximum number of moments in a strip; a longer turn shows its newest. */
const MOST = 36;

/** A turn in one line: time, message, strip and problems. Expands to its events. */
export const TurnHead = memo(function TurnHead({
  turn,
  open,
  picked,
  onToggle,
  onPick,
}: {
  readonly turn: TimelineTurn;
  readonly open: boolean;
  readonly picked: string | undefined;
  readonly onToggle: (key: string, open: boolean) => void;
  readonly onPick: (event: JournalEvent) => void;
}) {
  const moments = turn.events.filter(isMoment);
  const hidden = Math.max(0, moments.length - MOST);
  const prompt = turn.events.find((event) => event.type === "prompt");
  const { denials, questions, refused, faults, incomplete } = turn;
  return (
    <div className={classes(style.turn, open && style.open)}>
      <button type="button" className={style.said} aria-expanded={open} onClick={() => onToggle(turn.key, !open)}>
        <span aria-hidden="true" className={style.arrow}>
          {open ? "▾" : "▸"}
        </span>
        <span className={style.time}>
          <Time at={turn.at} how="clock" />
        </span>
        <Text className={classes("one-line", turn.isOurs && "quiet")}>
          {turn.said ?? (turn.turn === 0 ? "Before the first turn" : `Turn ${turn.turn}, continued`)}
        </Text>
      </button>
      <span className={style.strip}>
        {hidden > 0 && <span className="quiet small">{figure(hidden)} earlier moments</span>}
        <Strip
          events={hidden > 0 ? moments.slice(hidden) : moments}
          picked={picked}
          onPick={onPick}
          label={`Moments of turn ${turn.turn}`}
        />
        {denials > 0 && <Badge tone="denied">denied {denials}</Badge>}
        {questions > 0 && <Badge tone="advised">asked {questions}</Badge>}
        {refused > 0 && <Badge tone="advised">stop refused {refused}</Badge>}
        {incomplete && <Badge tone="denied">incomplete</Badge>}
        {faults > 0 && <Badge tone="denied">faults {faults}</Badge>}
        {prompt !== undefined && (
          <Link
            className={style.prompt}
            href={`/prompt?session=${encodeURIComponent(prompt.session)}&turn=${prompt.turn}`}
          >
            prompt<span className="unseen"> of turn {prompt.turn}</span>
          </Link>
        )}
      </span>
    </div>
  );
});
