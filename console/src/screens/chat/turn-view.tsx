import { memo, useMemo } from "react";
import type { TurnRecord } from "../../../../src/base/words/hosting/conversation.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import type { Step } from "../../moments/story/story-of.ts";
import { TurnStory } from "../../moments/story/turn-story.tsx";
import { Strip } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { Markdown } from "../../ui/markdown/markdown.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import type { Said } from "./conversation-state.ts";
import style from "./turn-view.module.css";
import { type Added, ENDS } from "./turns-of.ts";

const NO_EVENTS: readonly JournalEvent[] = [];
const NO_STEPS: readonly Step[] = [];

/** A message, the answer and the strip of moments. */
export const TurnView = memo(function TurnView({
  turn,
  said,
  notes,
  added,
  events = NO_EVENTS,
  steps = NO_STEPS,
  picked,
  isCurrent,
  onPick,
}: {
  readonly turn: TurnRecord;
  /** Streamed text so far, if the turn was watched. */
  readonly said: Said | undefined;
  readonly notes: readonly string[] | undefined;
  /** Messages steered into the turn. */
  readonly added: readonly Added[];
  readonly events: readonly JournalEvent[] | undefined;
  /** The model's responses of this turn. */
  readonly steps: readonly Step[] | undefined;
  readonly picked: string | undefined;
  readonly isCurrent: boolean;
  readonly onPick: (turn: string, event: JournalEvent) => void;
}) {
  const { status, text, answer, why } = turn;
  const isRunning = status === "running";
  const isOurs = status === "answered";
  const told = useMemo(() => withStreamed(steps, said, isRunning, answer ?? ""), [steps, said, isRunning, answer]);
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
      {!isOurs && status !== "queued" && (
        <TurnStory events={events} steps={told} without={answer ?? ""} picked={picked} />
      )}
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
        <div className={classes(style.answer, style.running)}>
          <Markdown>{said?.pieces.at(-1) ?? ""}</Markdown>
        </div>
      ) : (
        answer !== undefined &&
        answer !== "" && (
          <div className={classes(style.answer, isOurs && "quiet")}>
            {isOurs ? <Text className="said">{answer}</Text> : <Markdown>{answer}</Markdown>}
          </div>
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

/**
 * Adds texts that were streamed but are not in the transcript yet. The answer itself, or the text that is being
 * streamed, is shown below the story.
 */
function withStreamed(
  steps: readonly Step[],
  said: Said | undefined,
  isRunning: boolean,
  answer: string,
): readonly Step[] {
  const known = steps.at(-1)?.at ?? 0;
  const streamed = (said?.pieces ?? [])
    .map((text, one) => ({ text, at: said?.ats[one] ?? 0, calls: [] }))
    .slice(0, isRunning ? -1 : undefined)
    .filter(({ text, at }) => at > known && text.trim() !== "" && text.trim() !== answer.trim());
  return streamed.length === 0 ? steps : [...steps, ...streamed];
}
