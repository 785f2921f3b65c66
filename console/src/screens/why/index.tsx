import { useState } from "react";
import { Link, useParams } from "wouter";
import { Page } from "../../app/page.tsx";
import { useQuery } from "../../data/use-query.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { MomentRow } from "../../moments/moment-row.tsx";
import { Id } from "../../ui/id.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";

/** Why: a decision or a question by its id, with all that is known of it. */
export default function WhyScreen() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery("GET /api/decisions/{id}", { params: { id } });
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  return (
    <Page title={`Why ${id}`} lead="What was decided under this id, and by which rule.">
      <QueryView query={query}>
        {({ events }) => {
          const found = events as unknown as readonly JournalEvent[];
          const [first] = found;
          return (
            <div className="stack">
              {first !== undefined && (
                <p className="row">
                  <Text>{first.agent}</Text>
                  <span className="quiet">
                    <Time at={first.at} />
                  </span>
                  <Id id={first.session} href={sessionHref(first.session, first.id)} />
                  <Link href={sessionHref(first.session, first.id)}>the whole timeline</Link>
                </p>
              )}
              {found.map((event) => (
                <MomentRow
                  key={event.id}
                  event={event}
                  open={!closed.has(event.id)}
                  onToggle={({ id: one }) =>
                    setClosed((all) =>
                      all.has(one) ? new Set([...all].filter((other) => other !== one)) : new Set([...all, one]),
                    )
                  }
                />
              ))}
            </div>
          );
        }}
      </QueryView>
    </Page>
  );
}
