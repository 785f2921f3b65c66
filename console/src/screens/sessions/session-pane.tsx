import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import { CliCommand } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useIsOperator, useLiveState, useUser } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { AlwaysAllowed, QuestionBox } from "../../moments/question.tsx";
import { Badge } from "../../ui/badge.tsx";
import { figure, shortFigure } from "../../ui/data/token-bar.tsx";
import { Id } from "../../ui/id.tsx";
import { EmptyState, ErrorState, ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { Children } from "./children.tsx";
import style from "./session-view.module.css";
import { TimelineView } from "./timeline-view.tsx";
import { useEvery } from "./use-every.ts";
import { useTimeline } from "./use-timeline.ts";

const LOOK_MS = 5_000;
const LONGEST_TITLE = 80;

export type OpenSession = ReturnType<typeof useSession>;

/** Loads a session and keeps it current. */
export function useSession(id: string) {
  const isOperator = useIsOperator();
  const summary = useQuery("GET /api/journal/sessions/{id}", { params: { id } });
  const { timeline, load, loadOlder, catchUp } = useTimeline(id);
  const questions = useQuery("GET /api/approvals", undefined, { when: isOperator });
  const ended = summary.state === "ready" && summary.data.ended;
  const { refresh } = summary;
  useEvery(LOOK_MS, refresh, !ended);
  const lastAt = summary.state === "ready" ? summary.data.lastAt : 0;
  const newest = useRef(0);
  newest.current = timeline.events.at(-1)?.at ?? 0;
  const isReady = timeline.state === "ready";
  useEffect(() => {
    if (isReady && lastAt > newest.current) void catchUp();
  }, [isReady, lastAt, catchUp]);
  const label = summary.state === "ready" ? (summary.data.label ?? "") : "";
  const said = timeline.events.find((event) => event.type === "message");
  const about = label !== "" ? label : said?.type === "message" ? (said.text.trim().split("\n")[0] ?? "") : "";
  return {
    ...{ id, summary, timeline, load, loadOlder },
    title: about === "" ? id : about.slice(0, LONGEST_TITLE),
    waiting: questions.state === "ready" ? questions.data.approvals.filter(({ session }) => session === id) : [],
  };
}

/** The details, open questions and timeline of a session. */
export function SessionPane({ of, actions }: { readonly of: OpenSession; readonly actions: ReactNode }) {
  const { id, summary, timeline, waiting } = of;
  const live = useLiveState();
  const answer = useWrite("POST /api/approvals/{id}");
  return (
    <>
      <header className={style.head}>
        {summary.state === "ready" ? (
          <SessionHead session={summary.data} />
        ) : summary.state === "failed" && summary.error.status !== 404 ? (
          <ErrorText error={summary.error} />
        ) : (
          <div className={style.about}>{summary.state === "loading" && <Skeleton lines={2} />}</div>
        )}
        {live === "away" && (
          <span className="quiet small" role="status">
            ◌ Not connected, trying again
          </span>
        )}
        {actions}
      </header>
      {summary.state === "ready" && <Children of={summary.data} />}
      <AlwaysAllowed session={id} />
      {waiting.length > 0 && (
        <div className={style.pad}>
          {waiting.map((question) => (
            <QuestionBox
              key={question.approval}
              question={question}
              onAnswer={(approval, word) => answer.run({ params: { id: approval }, body: { answer: word } })}
            />
          ))}
        </div>
      )}
      {timeline.state === "failed" && timeline.error !== undefined ? (
        <div className={style.pad}>
          <ErrorState error={timeline.error} retry={() => void of.load()} />
        </div>
      ) : timeline.state === "loading" ? (
        <div className={style.pad}>
          <Skeleton lines={14} height={32} label="Loading the timeline" />
        </div>
      ) : timeline.events.length === 0 ? (
        <div className={style.pad}>
          <EmptyState title={summary.state === "failed" ? "Session not found" : "No events yet"}>
            {summary.state === "failed"
              ? "The session was deleted, or its events have expired."
              : "Messages, prompts, calls, results and stops appear here as they happen."}
          </EmptyState>
        </div>
      ) : (
        <>
          {timeline.error !== undefined && (
            <div className={style.pad}>
              <ErrorText error={timeline.error} />
            </div>
          )}
          <TimelineView timeline={timeline} loadOlder={() => void of.loadOlder()} />
        </>
      )}
    </>
  );
}

function SessionHead({ session }: { readonly session: Answer<"GET /api/journal/sessions/{id}"> }) {
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
          <CliCommand words={["watch", "--once", "--session", session.session]} />
        </span>
      </p>
    </div>
  );
}
