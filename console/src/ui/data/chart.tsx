import { useId } from "react";
import { useLocation } from "wouter";
import { classes } from "../classes.ts";
import style from "./chart.module.css";

export type Bar = {
  readonly key: string;
  /** For example `Sun 15 Nov`. */
  readonly label: string;
  /** For example `15 Nov`, below the chart. */
  readonly tick?: string;
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
  axis = show,
  most,
  tone = "neutral",
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Formats a value: `4 denials`. */
  readonly show: (value: number) => string;
  /** Formats a value of the axis, in short. */
  readonly axis?: (value: number) => string;
  /** Top of the scale; the largest value by default. */
  readonly most?: number;
  readonly tone?: "neutral" | "denied" | "advised" | "passed";
}) {
  const [, go] = useLocation();
  const id = useId();
  const top = most ?? topOf(Math.max(0, ...bars.map(({ value }) => value)));
  const step = WIDTH / Math.max(1, bars.length);
  const width = Math.max(1, step - Math.min(3, step / 4));
  return (
    <figure className={style.chart}>
      <div className={style.scale} aria-hidden="true">
        <span>{axis(top)}</span>
        <span>{axis(top / 2)}</span>
        <span>{axis(0)}</span>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes(style.plot, style[tone])}
        aria-labelledby={id}
      >
        <title id={id}>{`${title}, over time`}</title>
        {[0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => (
          <line key={y} x1={0} x2={WIDTH} y1={y} y2={y} className={style.ground} />
        ))}
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
      <div className={style.ticks} aria-hidden="true">
        {ticksOf(bars).map(({ key, tick }) => (
          <span key={key}>{tick}</span>
        ))}
      </div>
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

/** Returns the next even number of the form 2, 4, 6, 8 or 10 times a power of ten, so that the middle is round too. */
function topOf(most: number): number {
  if (most <= 0) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([2, 4, 6, 8, 10].find((one) => one * power >= most) ?? 10) * power;
}

/** Names the first, the middle and the last bar. */
function ticksOf(bars: readonly Bar[]): readonly Bar[] {
  const last = bars.length - 1;
  const found = last < 2 ? bars : [bars[0], bars[Math.floor(last / 2)], bars[last]];
  return found.filter((bar) => bar !== undefined);
}
