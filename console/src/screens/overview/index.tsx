import { useMemo, useState } from "react";
import { Link } from "wouter";
import { Page, Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { MomentList } from "../../moments/moment-row.tsx";
import { Strip } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Chip } from "../../ui/button.tsx";
import { Chart } from "../../ui/data/chart.tsx";
import { figure, shortFigure } from "../../ui/data/token-bar.tsx";
import { Select } from "../../ui/field.tsx";
import { EmptyState, ErrorState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { MEASURES, type Measure } from "./figures.ts";
import style from "./overview.module.css";
import { recentTurns } from "./recent.ts";
import { PauseButton, Switches } from "./switches.tsx";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RANGES = [
  { name: "24 hours", by: "hour", step: HOUR, count: 24 },
  { name: "7 days", by: "day", step: DAY, count: 7 },
  { name: "30 days", by: "day", step: DAY, count: 30 },
] as const;
type Range = (typeof RANGES)[number];
// Days are in UTC, like the gateway's buckets. Hours are the same in every zone.
const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
const hourName = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });

/** Shows figures over time; every figure links to its sessions or events. */
export default function OverviewScreen() {
  const [range, setRange] = useState<Range>(RANGES[1]);
  const [agent, setAgent] = useState("");
  const agents = useQuery("GET /api/agents");
  const now = useNow();
  // Rounded to whole hours, so that the request stays the same and hits the cache.
  const until = Math.floor(now / HOUR) * HOUR + HOUR - 1;
  const since = until + 1 - (range.by === "hour" ? range.count * HOUR : range.count * DAY);
  const asked = {
    by: range.by,
    since: range.by === "day" ? Math.floor(until / DAY) * DAY - (range.count - 1) * DAY : since,
    until,
  };
  const figures = useQuery("GET /api/figures", { query: { ...asked, agent: agent || undefined } }, { keep: true });
  const names = agents.state === "ready" ? agents.data.agents.map(({ name }) => name) : [];
  return (
    <Page
      title="Overview"
      lead="Calls, denials and tokens saved, by agent and over time."
      actions={
        <>
          {names.length > 1 && (
            <Select label="Agent" hideLabel value={agent} onChange={(event) => setAgent(event.target.value)}>
              <option value="">All agents</option>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
          <fieldset className="row">
            <legend className="unseen">Time</legend>
            {RANGES.map((one) => (
              <Chip key={one.name} on={one === range} onClick={() => setRange(one)}>
                {one.name}
              </Chip>
            ))}
          </fieldset>
          <PauseButton />
        </>
      }
    >
      <Switches />
      {figures.state === "failed" ? (
        <ErrorState error={figures.error} retry={figures.refresh} />
      ) : (
        <ul className={style.tiles} aria-label="Figures" aria-busy={figures.state === "loading"}>
          {MEASURES.map((measure) => (
            <Tile
              key={measure.name}
              measure={measure}
              range={range}
              agent={agent}
              figures={figures.state === "ready" ? figures.data : undefined}
            />
          ))}
        </ul>
      )}
      <div className={style.columns}>
        <Latest agent={agent} />
        <Denials agent={agent} />
      </div>
    </Page>
  );
}

function Tile({
  measure,
  figures,
  range,
  agent,
}: {
  readonly measure: Measure;
  readonly figures: Answer<"GET /api/figures"> | undefined;
  readonly range: Range;
  readonly agent: string;
}) {
  const { name, hint, tone, unit, value, behind } = measure;
  const show = (n: number) =>
    unit === "share" ? `${Math.floor(n * 100)} %` : unit === "tokens" ? `${figure(n)} tokens` : figure(n);
  const bars = useMemo(
    () =>
      figures === undefined
        ? Array.from({ length: range.count }, (_, at) => ({ key: String(at), label: "", value: 0 }))
        : figures.buckets.map(({ at, all }) => ({
            key: String(at),
            label: figures.by === "hour" ? hourName.format(at) : dayName.format(at),
            value: value(all),
            href: behind({ since: at, until: at + (figures.by === "hour" ? HOUR : DAY) - 1 }, agent),
          })),
    [figures, range.count, value, behind, agent],
  );
  const first = figures?.buckets[0]?.at ?? 0;
  const last = (figures?.buckets.at(-1)?.at ?? 0) + range.step - 1;
  const all = figures === undefined ? 0 : value(figures.total);
  return (
    <li className={style.tile}>
      <Link href={behind({ since: first, until: last }, agent)} className={style.name} title={hint}>
        {name}
      </Link>
      <p className={style.total} title={show(all)}>
        {figures === undefined ? (
          <span className="quiet">…</span>
        ) : unit === "share" ? (
          show(all)
        ) : all >= 100_000 ? (
          shortFigure(all)
        ) : (
          figure(all)
        )}
      </p>
      <p className={style.hint}>{hint}</p>
      <Chart title={name} bars={bars} show={show} tone={tone} most={unit === "share" ? 1 : undefined} />
    </li>
  );
}

/** Shows the newest turns of all sessions as strips. */
function Latest({ agent }: { readonly agent: string }) {
  const query = useQuery("GET /api/events", { query: { limit: 150, agent: agent || undefined } }, { keep: true });
  return (
    <Section title="Latest turns" actions={<Link href="/sessions">All sessions</Link>}>
      <QueryView query={query} skeleton={<Skeleton lines={8} height={48} />}>
        {({ events }) => {
          const turns = recentTurns(events, 8);
          if (turns.length === 0)
            return (
              <EmptyState title="No turns yet" action={<Link href="/chat">Say “deploy it” in the chat</Link>}>
                Turns appear here as they happen, each as a strip of five moments: message ◦, prompt ¶, call ▸, result ◂
                and stop ■.
              </EmptyState>
            );
          return (
            <ol className={style.turns}>
              {turns.map(({ key, session, agent, at, text, denials, events: own }) => (
                <li key={key} className={style.turn}>
                  <Link href={sessionHref(session, own[0]?.id)} className={style.said}>
                    <Text className="one-line">{text}</Text>
                  </Link>
                  <span className={style.about}>
                    <Text>{agent}</Text> · <Time at={at} />
                  </span>
                  <span className={style.strip}>
                    <Strip events={own} />
                    {denials > 0 && <Badge tone="denied">denied {denials}</Badge>}
                  </span>
                </li>
              ))}
            </ol>
          );
        }}
      </QueryView>
    </Section>
  );
}

/** Shows the newest denials, each with the step that would unblock it. */
function Denials({ agent }: { readonly agent: string }) {
  const query = useQuery(
    "GET /api/events",
    { query: { denied: "true", limit: 8, agent: agent || undefined } },
    { keep: true },
  );
  const [open, setOpen] = useState<string | undefined>(undefined);
  return (
    <Section title="Newest denials" actions={<Link href="/sessions?denied=true">All denials</Link>}>
      <QueryView query={query} skeleton={<Skeleton lines={8} height={32} />}>
        {({ events }) => (
          <MomentList
            label="Newest denials"
            events={events}
            open={open}
            onToggle={({ id }) => setOpen((now) => (now === id ? undefined : id))}
            empty={
              <EmptyState title="No denials yet">
                Denied calls appear here, with the reason, what is missing and the next step.
              </EmptyState>
            }
          />
        )}
      </QueryView>
    </Section>
  );
}
