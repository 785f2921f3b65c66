import { memo } from "react";
import type { TurnRecord } from "../../../../src/base/words/hosting/conversation.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import { Strip } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./turn-view.module.css";
import { type Added, ENDS } from "./turns-of.ts";

const NO_EVENTS: readonly JournalEvent[] = [];

/** A message, the answer and the strip of moments. */
export const TurnView = memo(function TurnView({
  turn,
  pieces,
  notes,
  added,
  events = NO_EVENTS,
  picked,
  isCurrent,
  onPick,
}: {
  readonly turn: TurnRecord;
  /** Streamed text so far, if the turn was watched. */
  readonly pieces: readonly string[] | undefined;
  readonly notes: readonly string[] | undefined;
  /** Messages steered into the turn. */
  readonly added: readonly Added[];
  readonly events: readonly JournalEvent[] | undefined;
  readonly picked: string | undefined;
  readonly isCurrent: boolean;
  readonly onPick: (turn: string, event: JournalEvent) => void;
}) {
  const { status, text, answer, why } = turn;
  const isRunning = status === "running";
  const isOurs = status === "answered";
  const before = isRunning ? (pieces ?? []).slice(0, -1) : beforeAnswer(pieces ?? [], answer ?? "");
  const end = ENDS[status];
  return (
    <article
      className={classes(style.turn, isOurs && style.ours, isCurrent && style.current)}
      aria-label={`Turn at ${new Date(turn.at).toLocaleTimeString()}`}
      data-status={status}
    >
      <div className={style.said}>
        <Text className="said">{text}</Text>
      </div>
      {before.map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added
        <p key={at} className={style.between}>
          <Text className="said">{piece}</Text>
        </p>
      ))}
      {added.map((one) => (
        <div key={one.key} className={style.added}>
          <span className="quiet small">
            {one.heard ? "added" : isRunning ? "added, not read yet" : "added, not read"}
          </span>
          <div className={style.said}>
            <Text className="said">{one.text}</Text>
          </div>
        </div>
      ))}
      {isRunning ? (
        <p className={classes(style.answer, style.running)}>
          <Text className="said">{pieces?.at(-1) ?? ""}</Text>
        </p>
      ) : (
        answer !== undefined &&
        answer !== "" && (
          <p className={classes(style.answer, isOurs && "quiet")}>
            <Text className="said">{answer}</Text>
          </p>
        )
      )}
      {notes?.map((note) => (
        <p key={note} className={style.note}>
          <Text className="said">{note}</Text>
        </p>
      ))}
      {(end !== undefined || why !== undefined) && (
        <p className={style.end}>
          {end !== undefined && (
            <Badge tone={status === "failed" || status === "ended-by-policy" ? "denied" : "advised"}>{end}</Badge>
          )}{" "}
          {why !== undefined && <Text>{why}</Text>}
        </p>
      )}
      <div className={style.foot}>
        {status === "queued" ? (
          <Badge>queued</Badge>
        ) : (
          <Strip events={events} picked={picked} onPick={(event) => onPick(turn.id, event)} />
        )}
        <span className="quiet small">
          <Time at={turn.at} />
        </span>
      </div>
    </article>
  );
});

/** Returns the text before the final answer. */
function beforeAnswer(pieces: readonly string[], answer: string): readonly string[] {
  const last = pieces.at(-1) ?? "";
  const rest = last.trimEnd().endsWith(answer.trim())
    ? last.trimEnd().slice(0, -answer.trim().length || undefined)
    : last;
  return [...pieces.slice(0, -1), rest].filter((piece) => piece.trim() !== "");
}
