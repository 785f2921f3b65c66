import { useState } from "react";
import { Link } from "wouter";
import { Page, Section } from "../../app/page.tsx";
import { useQuery } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { MomentList } from "../../moments/moment-row.tsx";
import { Strip } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Select } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { FiguresView } from "./figures-view.tsx";
import { FirstDay } from "./first-day.tsx";
import { NeedsYou } from "./needs-you.tsx";
import style from "./overview.module.css";
import { recentTurns } from "./recent.ts";
import { PauseButton, Switches } from "./switches.tsx";
import { TimePicker, useTimeRange } from "./time-range.tsx";

/** Shows what needs a person, then figures over time and the newest turns. */
export default function HomeScreen() {
  const range = useTimeRange();
  const [address, set] = useAddress();
  const agent = address.get("agent") ?? "";
  const agents = useQuery("GET /api/agents");
  const names = agents.state === "ready" ? agents.data.agents.map(({ name }) => name) : [];
  return (
    <Page title="Home" lead="What needs you, and what your agents did." actions={<PauseButton />}>
      <Switches />
      <FirstDay />
      <NeedsYou />
      <Section
        title="Figures"
        actions={
          <div className="row">
            {names.length > 1 && (
              <Select label="Agent" hideLabel value={agent} onChange={(event) => set({ agent: event.target.value })}>
                <option value="">All agents</option>
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </Select>
            )}
            <TimePicker range={range} />
          </div>
        }
      >
        <FiguresView range={range} agent={agent} />
      </Section>
      <div className={style.columns}>
        <Latest agent={agent} />
        <Denials agent={agent} />
      </div>
    </Page>
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
