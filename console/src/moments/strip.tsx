import { TONE_MARKS } from "../ui/badge.tsx";
import { classes } from "../ui/classes.ts";
import { plainText } from "../ui/text.tsx";
import { GLYPHS, isMoment, type JournalEvent, lineOf } from "./line-of.ts";
import style from "./strip.module.css";

/**
 * Shows a turn as a strip of moments. With `onPick` each one is a button; otherwise the strip is one labelled image.
 */
export function Strip({
  events,
  picked,
  onPick,
  label = "Moments of this turn",
}: {
  readonly events: readonly JournalEvent[];
  readonly picked?: string | undefined;
  readonly onPick?: (event: JournalEvent) => void;
  readonly label?: string;
}) {
  const moments = events.filter(isMoment);
  if (onPick === undefined) {
    const words = moments.map((event) => spoken(event)).join("; ");
    return (
      <span className={style.strip} role="img" aria-label={`${label}: ${words === "" ? "none yet" : words}`}>
        {moments.map((event) => (
          <Cell key={event.id} event={event} />
        ))}
      </span>
    );
  }
  return (
    <ol className={style.strip} aria-label={label}>
      {moments.map((event) => (
        <li key={event.id}>
          <button
            type="button"
            className={style.press}
            aria-pressed={event.id === picked}
            aria-label={spoken(event)}
            title={spoken(event)}
            onClick={() => onPick(event)}
          >
            <Cell event={event} />
          </button>
        </li>
      ))}
    </ol>
  );
}

function Cell({ event }: { readonly event: JournalEvent }) {
  const { kind, tone } = lineOf(event);
  if (kind === "aside") return null;
  return (
    <span aria-hidden="true" className={classes(style.cell, style[kind], style[tone])}>
      {GLYPHS[kind]}
      {tone !== "passed" && <span className={style.mark}>{TONE_MARKS[tone]}</span>}
    </span>
  );
}

/** The symbol of a single moment. */
export function Glyph({ event }: { readonly event: JournalEvent }) {
  const { kind, tone } = lineOf(event);
  if (kind === "aside") return <span className={classes(style.cell, style.aside)} aria-hidden="true" />;
  return (
    <>
      <span className="unseen">{kind}: </span>
      <span aria-hidden="true" className={classes(style.cell, style[kind], style[tone])}>
        {GLYPHS[kind]}
      </span>
    </>
  );
}

function spoken(event: JournalEvent): string {
  const { kind, what, word, more } = lineOf(event);
  const tail = more === undefined ? "" : `, ${more}`;
  return plainText(`${kind}: ${what.length > 80 ? `${what.slice(0, 79)}…` : what}, ${word}${tail}`);
}
