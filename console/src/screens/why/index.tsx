import { useState } from "react";
import { Link, useParams } from "wouter";
import { Page, Section } from "../../app/page.tsx";
import { useQuery } from "../../data/use-query.ts";
import { type JournalEvent, lineOf } from "../../moments/line-of.ts";
import { MomentDetails, sessionHref } from "../../moments/moment-details.tsx";
import { MomentList } from "../../moments/moment-row.tsx";
import { type Step, stepsIn } from "../../moments/story/story-of.ts";
import { TurnStory } from "../../moments/story/turn-story.tsx";
import { Glyph } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Id } from "../../ui/id.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { Evidence, type Why } from "./evidence.tsx";
import style from "./why.module.css";

/** Explains a decision, question or event by its id. */
export default function WhyScreen() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery("GET /api/decisions/{id}/why", { params: { id } });
  return (
    <Page
      title={`Why ${id}`}
      lead="The event, its evidence, and the rules and contract in force at the time."
      command={["why", id]}
    >
      <QueryView query={query} skeleton={<Skeleton lines={12} height={32} />}>
        {(why) => <Explained why={why} />}
      </QueryView>
    </Page>
  );
}

function Explained({ why }: { readonly why: Why }) {
  const event = why.event;
  const answers = why.answers;
  const [open, setOpen] = useState<string | undefined>(undefined);
  const { what, word, tone } = lineOf(event);
  const hasGrounds =
    event.type === "call" || why.needed.length > 0 || why.contract !== undefined || why.modes !== undefined;
  return (
    <>
      <div className={style.what}>
        <h2 className="row">
          <Glyph event={event} />
          <Badge tone={tone}>{word}</Badge>
          {what !== "" && <Text className={style.title}>{what}</Text>}
        </h2>
        <p className={style.where}>
          <Link href={`/agents/${encodeURIComponent(event.agent)}`}>
            <Text>{event.agent}</Text>
          </Link>
          {why.session?.channel !== undefined && <Text>{why.session.channel}</Text>}
          <Time at={event.at} how="absolute" />
          <span>turn {event.turn}</span>
          <Id id={event.session} short href={sessionHref(event.session)} />
        </p>
        <p className="row">
          <Link href={sessionHref(event.session, event.id)}>Show in timeline</Link>
          {event.turn > 0 && (
            <Link href={`/prompt?session=${encodeURIComponent(event.session)}&turn=${event.turn}`}>Show prompt</Link>
          )}
        </p>
      </div>
      <div className={style.columns}>
        <Section title="What happened">
          <div className={style.box}>
            <MomentDetails event={event} />
          </div>
        </Section>
        {hasGrounds && (
          <Section title="Evidence">
            <div className={style.box}>
              <Evidence why={why} />
            </div>
          </Section>
        )}
      </div>
      {event.turn > 0 && <TurnAround event={event} />}
      {answers.length > 0 && (
        <Section title="Outcome">
          <MomentList
            label="Outcome"
            events={answers}
            open={open}
            onToggle={({ id }) => setOpen((now) => (now === id ? undefined : id))}
          />
        </Section>
      )}
    </>
  );
}

const AROUND_MS = 3_600_000;
const MOST_AROUND = 500;
const NO_STEPS: readonly Step[] = [];

/** Shows the turn in which the event happened, as a story. */
function TurnAround({ event: { session, turn, at } }: { readonly event: JournalEvent }) {
  const around = { since: at - AROUND_MS, until: at + AROUND_MS };
  const found = useQuery("GET /api/events", { query: { session, ...around, limit: MOST_AROUND } });
  const known = useQuery("GET /api/sessions/{id}/steps", { params: { id: session }, query: { since: around.since } });
  if (found.state !== "ready") return null;
  const events = found.data.events.filter((one) => one.turn === turn).toReversed();
  const steps = known.state === "ready" ? known.data.steps : NO_STEPS;
  const [first, last] = [events[0]?.at ?? at, events.at(-1)?.at ?? at];
  const said = events.find((one) => one.type === "message");
  return (
    <Section title="The turn">
      <div className={style.box}>
        {said?.type === "message" && (
          <p>
            <Text className="said">{said.text}</Text>
          </p>
        )}
        <TurnStory events={events} steps={stepsIn(steps, first, last + 1)} />
      </div>
    </Section>
  );
}
