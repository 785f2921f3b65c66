import { Link } from "wouter";
import type { Answer } from "../../data/client.ts";
import { useUser } from "../../data/store.tsx";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Id } from "../../ui/id.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { figure, shortFigure } from "../../ui/token-bar.tsx";
import style from "./session-view.module.css";

/** Whose it is, what it is about, and its figures. */
export function SessionHead({ session }: { readonly session: Answer<"GET /api/journal/sessions/{id}"> }) {
  const me = useUser();
  const { agent, user, channel, topic, complexity, parent, startedAt, lastAt } = session;
  return (
    <div className={style.about}>
      <p className={style.facts}>
        <Link href={`/agents/${encodeURIComponent(agent)}`}>
          <Text>{agent}</Text>
        </Link>
        {user !== undefined && <Text>{user}</Text>}
        {channel !== undefined && (
          <Link href={`/sessions?channel=${encodeURIComponent(channel)}`}>
            <Text>{channel}</Text>
          </Link>
        )}
        {topic !== undefined && (
          <Link href={`/sessions?class=${encodeURIComponent(topic)}`}>
            <Text>{topic}</Text>
          </Link>
        )}
        {complexity !== undefined && (
          <Link href={`/sessions?class=${encodeURIComponent(complexity)}`}>
            <Text>{complexity}</Text>
          </Link>
        )}
        <span>
          started <Time at={startedAt} />, last <Time at={lastAt} />
          {session.ended && ", ended"}
        </span>
        <Id id={session.session} short />
        {parent !== undefined && (
          <span>
            subagent of <Id id={parent} short copy={false} href={sessionHref(parent)} />
          </span>
        )}
      </p>
      <p className={style.facts}>
        <span>
          {figure(session.turns)} {session.turns === 1 ? "turn" : "turns"}
        </span>
        <span>
          {figure(session.calls)} {session.calls === 1 ? "call" : "calls"}
        </span>
        {session.tokens > 0 && <span>{shortFigure(session.tokens)} tokens</span>}
        {session.denials > 0 && <Badge tone="denied">denied {figure(session.denials)}</Badge>}
        {session.stopsRefused > 0 && <Badge tone="advised">stop refused {figure(session.stopsRefused)}</Badge>}
        {session.incomplete > 0 && <Badge tone="denied">incomplete {figure(session.incomplete)}</Badge>}
        <span className={style.links}>
          {channel === "web" && (user === me.id || me.role !== "user") && (
            <Link href={`/chat/${encodeURIComponent(session.session)}`}>chat</Link>
          )}
          <Link href={`/prompt?session=${encodeURIComponent(session.session)}`}>prompt</Link>
          {me.role === "operator" && (
            <Link href={`/replay?session=${encodeURIComponent(session.session)}`}>Replay with a change…</Link>
          )}
        </span>
      </p>
    </div>
  );
}
