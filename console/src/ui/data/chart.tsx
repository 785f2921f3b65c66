import { useId } from "react";
import { useLocation } from "wouter";
import { classes } from "../classes.ts";
import style from "./chart.module.css";

export type Bar = {
  readonly key: string;
  /** For example `Sun 15 Nov`. */
  readonly label: string;
  readonly value: number;
  /** Link to the underlying events. */
  readonly href?: string;
};

const WIDTH = 240;
const HEIGHT = 56;

/** Bar chart over time; each bar has a label and a link. A table shows the same to screen readers. */
export function Chart({
  title,
  bars,
  show,
  most,
  tone = "neutral",
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Formats a value: `4 denials`. */
  readonly show: (value: number) => string;
  /** Top of the scale; the largest value by default. */
  readonly most?: number;
  readonly tone?: "neutral" | "denied" | "advised" | "passed";
}) {
  const [, go] = useLocation();
  const id = useId();
  const top = Math.max(most ?? 0, ...bars.map(({ value }) => value), 1e-9);
  const step = WIDTH / Math.max(1, bars.length);
  const width = Math.max(1, step - Math.min(3, step / 4));
  return (
    <figure className={style.chart}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes(style.plot, style[tone])}
        aria-labelledby={id}
      >
        <title id={id}>{`${title}, over time`}</title>
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={style.ground} />
        {bars.map(({ key, label, value, href }, at) => {
          const tall = value <= 0 ? 0 : Math.max(2, (value / top) * (HEIGHT - 2));
          const text = `${label}: ${show(value)}`;
          const shape = (
            <>
              <title>{text}</title>
              <rect x={at * step} y={0} width={step} height={HEIGHT} className={style.hit} />
              <rect x={at * step} y={HEIGHT - 1 - tall} width={width} height={tall} className={style.bar} />
            </>
          );
          if (href === undefined) return <g key={key}>{shape}</g>;
          return (
            <a
              key={key}
              href={href}
              aria-label={text}
              className={style.link}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                go(href);
              }}
            >
              {shape}
            </a>
          );
        })}
      </svg>
      <table className="unseen">
        <caption>{title}</caption>
        <tbody>
          {bars.map(({ key, label, value }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td>{show(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
