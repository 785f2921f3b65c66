import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import { useIsOperator, useLiveState } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { EmptyState, ErrorState, ErrorText, Skeleton } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DeleteDialog } from "../chat/delete-dialog.tsx";
import { QuestionBox } from "../chat/question.tsx";
import { Children } from "./children.tsx";
import { SessionHead } from "./session-head.tsx";
import style from "./session-view.module.css";
import { TimelineView } from "./timeline-view.tsx";
import { useEvery } from "./use-every.ts";
import { useTimeline } from "./use-timeline.ts";

const LOOK_MS = 5_000;
const LONGEST_TITLE = 80;

/** One session: what is known of it, what waits for a person, and its timeline. */
export function SessionView({ id }: { readonly id: string }) {
  const [, go] = useLocation();
  const tell = useToast();
  const isOperator = useIsOperator();
  const live = useLiveState();
  const [isDeleting, setDeleting] = useState(false);
  const summary = useQuery("GET /api/journal/sessions/{id}", { params: { id } });
  const { timeline, load, loadOlder, catchUp } = useTimeline(id);
  const questions = useQuery("GET /api/approvals", undefined, { when: isOperator });
  const answer = useWrite("POST /api/approvals/{id}");
  useHotkeys(isOperator ? [{ keys: "Delete", does: "Delete this session", run: () => setDeleting(true) }] : []);

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
  const waiting = questions.state === "ready" ? questions.data.approvals.filter(({ session }) => session === id) : [];
  return (
    <Page
      title={about === "" ? id : about.slice(0, LONGEST_TITLE)}
      within={{ name: "Sessions", href: "/sessions" }}
      fill
      flush
    >
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
        {isOperator && (
          <IconButton label="Delete this session" onClick={() => setDeleting(true)}>
            <Icon of="bin" />
          </IconButton>
        )}
      </header>
      {summary.state === "ready" && <Children of={summary.data} />}
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
          <ErrorState error={timeline.error} retry={() => void load()} />
        </div>
      ) : timeline.state === "loading" ? (
        <div className={style.pad}>
          <Skeleton lines={14} height={32} label="Loading the timeline" />
        </div>
      ) : timeline.events.length === 0 ? (
        <div className={style.pad}>
          <EmptyState title={summary.state === "failed" ? "Session not found" : "No events yet"}>
            {summary.state === "failed"
              ? "It was deleted, or its events have expired."
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
          <TimelineView timeline={timeline} loadOlder={() => void loadOlder()} />
        </>
      )}
      <DeleteDialog
        id={id}
        open={isDeleting}
        onClose={() => setDeleting(false)}
        onDone={() => {
          tell("The session was deleted", { tone: "passed" });
          go("/sessions");
        }}
      />
    </Page>
  );
}
