import { Link } from "wouter";
import { useQuery } from "../../data/use-query.ts";
import { type JournalEvent, lineOf } from "../../moments/line-of.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Glyph } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./session-list.module.css";

const MOST = 8;

/** Lists the newest moments that match the search, each with a link into its timeline. */
export function Hits({
  text,
  agent,
  channel,
}: {
  readonly text: string;
  readonly agent: string;
  readonly channel: string;
}) {
  const query = useQuery(
    "GET /api/events",
    { query: { text, limit: MOST, agent: agent || undefined, channel: channel || undefined } },
    { keep: true },
  );
  return (
    <QueryView query={query} skeleton={<Skeleton lines={3} height={32} />}>
      {({ events, next }) =>
        events.length === 0 ? null : (
          <section aria-label="Matching moments">
            <p className="quiet small">{next === undefined ? "Matches" : `The newest ${MOST} matches`}</p>
            <ol className={style.hits}>
              {events.map((event) => (
                <Hit key={event.id} event={event} />
              ))}
            </ol>
          </section>
        )
      }
    </QueryView>
  );
}

function Hit({ event }: { readonly event: JournalEvent }) {
  const { what, word, tone, more } = lineOf(event);
  return (
    <li>
      <Link href={sessionHref(event.session, event.id)} className={style.hit}>
        <Glyph event={event} />
        <Text className="one-line">{what === "" ? word : what}</Text>
        {tone !== "passed" && tone !== "neutral" && <Badge tone={tone}>{word}</Badge>}
        <Text className={style.more}>{more ?? ""}</Text>
        <span className={style.time}>
          <Text>{event.agent}</Text> · <Time at={event.at} />
        </span>
      </Link>
    </li>
  );
}
