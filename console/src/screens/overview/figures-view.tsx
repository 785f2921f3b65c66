import { useMemo } from "react";
import { Link } from "wouter";
import { Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { figure, shortFigure } from "../../ui/data/token-bar.tsx";
import { durationText, moneyText } from "../../ui/data/units.ts";
import { ErrorState } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { type Counted, MEASURES, type Measure } from "./figures.ts";
import style from "./overview.module.css";
import { DAY, HOUR, type TimeRange } from "./ranges.ts";

// Days are in UTC, like the gateway's buckets. Hours are the same in every zone.
const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
const hourName = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const dayTick = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const hourTick = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

type Latency = Answer<"GET /api/measures">["models"][number];

/** Shows figures over time. Each one opens the list of the events that it counts. */
export function FiguresView({ range, agent }: { readonly range: TimeRange; readonly agent: string }) {
  const { by, since, until } = range;
  const asked = { by, since, until, agent: agent || undefined };
  const figures = useQuery("GET /api/figures", { query: asked }, { keep: true });
  const measures = useQuery("GET /api/measures", { query: asked }, { keep: true });
  const counted = useMemo((): readonly Counted[] | undefined => {
    if (figures.state !== "ready") return undefined;
    const more = new Map(measures.state === "ready" ? measures.data.buckets.map((one) => [one.at, one]) : []);
    return figures.data.buckets.map(({ at, all }) => ({
      cost: 0,
      inputTokens: 0,
      outputTokens: 0,
      errors: 0,
      ...more.get(at),
      ...all,
      at,
    }));
  }, [figures, measures]);
  if (figures.state === "failed") return <ErrorState error={figures.error} retry={figures.refresh} />;
  const from = measures.state === "ready" ? measures.data.from : undefined;
  return (
    <>
      <ul className={style.tiles} aria-label="Figures" aria-busy={figures.state === "loading"}>
        {MEASURES.map((measure) => (
          <Tile key={measure.name} measure={measure} range={range} agent={agent} counted={counted} />
        ))}
      </ul>
      {measures.state === "failed" && <ErrorState error={measures.error} retry={measures.refresh} />}
      {from !== undefined && (
        <p className="quiet small" role="status">
          Cost, tokens, errors and durations include only the newest 10,000 events, since{" "}
          <Time at={from} how="absolute" />. Choose a shorter time to see all.
        </p>
      )}
      {measures.state === "ready" && measures.data.models.length + measures.data.tools.length > 0 && (
        <div className={style.columns}>
          <Latencies title="Model durations" unit="Requests" rows={measures.data.models} />
          <Latencies title="Tool durations" unit="Calls" rows={measures.data.tools} />
        </div>
      )}
    </>
  );
}

function Tile({
  measure: { name, hint, tone, unit, value, behind },
  counted,
  range: { by },
  agent,
}: {
  readonly measure: Measure;
  readonly counted: readonly Counted[] | undefined;
  readonly range: TimeRange;
  readonly agent: string;
}) {
  const step = by === "hour" ? HOUR : DAY;
  const show = SHOWN[unit];
  const bars = useMemo(
    () =>
      (counted ?? []).map((one) => ({
        key: String(one.at),
        label: (by === "hour" ? hourName : dayName).format(one.at),
        tick: (by === "hour" ? hourTick : dayTick).format(one.at),
        value: value([one]),
        href: behind({ since: one.at, until: one.at + step - 1 }, agent),
      })),
    [counted, by, step, value, behind, agent],
  );
  const [first, last] = [counted?.[0]?.at ?? 0, (counted?.at(-1)?.at ?? 0) + step - 1];
  const all = counted === undefined ? undefined : value(counted);
  return (
    <li className={style.tile}>
      <Link href={behind({ since: first, until: last }, agent)} className={style.name} title={hint}>
        {name}
      </Link>
      <p className={style.total} title={all === undefined ? undefined : show(all)}>
        {all === undefined ? <span className="quiet">…</span> : shortText(all, unit)}
      </p>
      <p className={style.hint}>{hint}</p>
      <Chart
        title={name}
        bars={bars}
        show={show}
        axis={(n) => shortText(n, unit)}
        tone={tone}
        most={unit === "share" ? 1 : undefined}
      />
    </li>
  );
}

const share = (n: number) => `${Math.floor(n * 100)} %`;
const SHOWN: { readonly [U in Measure["unit"]]: (n: number) => string } = {
  count: figure,
  tokens: (n) => `${figure(n)} tokens`,
  money: moneyText,
  share,
};

function shortText(n: number, unit: Measure["unit"]): string {
  if (unit === "money") return moneyText(n);
  if (unit === "share") return share(n);
  return n >= 10_000 ? shortFigure(n) : figure(n);
}

function Latencies({
  title,
  unit,
  rows,
}: {
  readonly title: string;
  readonly unit: string;
  readonly rows: readonly Latency[];
}) {
  return (
    <Section title={title}>
      <DataTable<Latency>
        label={title}
        rows={rows.slice(0, 10)}
        keyOf={({ name }) => name}
        empty="No durations in this time."
        columns={[
          { name: "Name", show: ({ name }) => <Text className="mono">{name}</Text> },
          { name: unit, isNumber: true, show: ({ count }) => figure(count) },
          { name: "p50", isNumber: true, show: ({ p50 }) => durationText(p50) },
          { name: "p95", isNumber: true, show: ({ p95 }) => durationText(p95) },
        ]}
      />
    </Section>
  );
}
