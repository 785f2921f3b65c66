import { useId } from "react";
import type { Day, Sums } from "./adherence.ts";
import { sumInWords } from "./adherence.ts";
import style from "./contract.module.css";

const WIDTH = 300;
const HEIGHT = 48;
const PARTS = ["cannotTell", "violated", "followed"] as const;

/** Turns by day: followed, violated and not measured. A table shows the same to screen readers. */
export function AdherenceChart({ days }: { readonly days: readonly Day[] }) {
  const id = useId();
  const top = Math.max(1, ...days.map(({ inForce }) => inForce));
  const step = WIDTH / Math.max(1, days.length);
  return (
    <figure className={style.chart}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-labelledby={id}>
        <title id={id}>Turns by day: followed, violated, not measured</title>
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={style.ground} />
        {days.map((day, at) => {
          let below = 1;
          return (
            <g key={day.day}>
              <title>{`${day.day}: ${sumInWords(day)}`}</title>
              <rect x={at * step} y={0} width={step} height={HEIGHT} className={style.hit} />
              {PARTS.map((part) => {
                const tall = (day[part] / top) * (HEIGHT - 2);
                const y = HEIGHT - below - tall;
                below += tall;
                return (
                  <rect key={part} x={at * step} y={y} width={step * 0.75} height={tall} className={style[part]} />
                );
              })}
            </g>
          );
        })}
      </svg>
      <table className="unseen">
        <caption>Turns by day</caption>
        <tbody>
          {days
            .filter(({ inForce }) => inForce > 0)
            .map((day) => (
              <tr key={day.day}>
                <th scope="row">{day.day}</th>
                <td>{sumInWords(day)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}

/** The same in one line: a bar of three parts with a text. Its space is reserved before the data is loaded. */
export function AdherenceBar({ sums }: { readonly sums: Sums | undefined }) {
  if (sums === undefined)
    return (
      <span className={style.sums}>
        <span className={style.bar} aria-hidden="true" /> counting…
      </span>
    );
  const { inForce, followed, violated, cannotTell } = sums;
  if (inForce === 0) return <span className="quiet small">no turns yet</span>;
  return (
    <span className={style.sums} title={sumInWords(sums)}>
      <span className={style.bar} aria-hidden="true">
        <span className={style.followed} style={{ flexGrow: followed }} />
        <span className={style.violated} style={{ flexGrow: violated }} />
        <span className={style.cannotTell} style={{ flexGrow: cannotTell }} />
      </span>
      {followed + violated === 0 ? (
        <span className="quiet">not measured · {inForce}</span>
      ) : (
        <>
          <span className={style.good}>✓ {followed}</span>
          <span className="unseen"> followed,</span>
          <span className={violated === 0 ? "quiet" : style.bad}>✗ {violated}</span>
          <span className="unseen"> violated</span>
        </>
      )}
    </span>
  );
}
