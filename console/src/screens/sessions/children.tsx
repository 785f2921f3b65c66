import { Link } from "wouter";
import type { Answer } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { figure, shortFigure } from "../../ui/data/token-bar.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { shortId } from "./session-row.tsx";
import style from "./session-view.module.css";
import { useEvery } from "./use-every.ts";

/** Maximum number of subagents shown here; the list of sessions shows all. */
const SHOWN = 20;
const LOOK_MS = 10_000;
const DAY = 86_400_000;

type Session = Answer<"GET /api/journal/sessions/{id}">;

/** Lists the sessions of a session's subagents, newest first. Renders nothing if there are none. */
export function Children({ of: { session, startedAt, lastAt, ended } }: { readonly of: Session }) {
  // A parent waits for its children, so none starts long after its last event. Rounded to days, so that the request
  // stays the same.
  const until = Math.ceil((lastAt + DAY) / DAY) * DAY;
  const query = useQuery(
    "GET /api/journal/sessions",
    { query: { parent: session, since: startedAt, until, limit: SHOWN } },
    { keep: true },
  );
  // The live stream has no events of other processes.
  useEvery(LOOK_MS, query.refresh, !ended);
  if (query.state !== "ready" || query.data.total === 0) return null;
  const { sessions, total } = query.data;
  return (
    <section className={style.children} aria-label="Subagents">
      <h2 className="quiet small">
        {figure(total)} {total === 1 ? "subagent" : "subagents"}
        {total > sessions.length && (
          <>
            {", the newest "}
            {sessions.length} · <Link href={`/sessions?parent=${encodeURIComponent(session)}`}>show all</Link>
          </>
        )}
      </h2>
      <ul className={style.childList}>
        {sessions.map((one) => (
          <Child key={one.session} child={one} />
        ))}
      </ul>
    </section>
  );
}

function Child({ child }: { readonly child: Session }) {
  const { session, agent, label = "", calls, tokens, denials, stopsRefused, incomplete, ended, lastAt } = child;
  return (
    <li className={style.child}>
      <Link href={sessionHref(session)} className="one-line">
        <Text>{label === "" ? agent : label}</Text>
      </Link>
      <span className="quiet small">
        {label !== "" && (
          <>
            <Text>{agent}</Text>
            {" · "}
          </>
        )}
        <code>{shortId(session)}</code> · {figure(calls)} {calls === 1 ? "call" : "calls"}
        {tokens > 0 && ` · ${shortFigure(tokens)} tokens`}
        {ended ? " · ended " : " · "}
        <Time at={lastAt} />
      </span>
      {denials > 0 && <Badge tone="denied">denied {figure(denials)}</Badge>}
      {stopsRefused > 0 && <Badge tone="advised">stop refused {figure(stopsRefused)}</Badge>}
      {incomplete > 0 && <Badge tone="denied">incomplete {figure(incomplete)}</Badge>}
    </li>
  );
}
