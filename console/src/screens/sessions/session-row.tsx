import { Link } from "wouter";
import type { Answer } from "../../data/client.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Strip } from "../../moments/strip.tsx";
import { Badge } from "../../ui/badge.tsx";
import { figure, shortFigure } from "../../ui/data/token-bar.tsx";
import { plainText, Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./session-list.module.css";

type Summary = Answer<"GET /api/journal/sessions">["sessions"][number];

/** A session in two lines: title, figures and the strip of its newest moments. */
export function SessionRow({ session }: { readonly session: Summary }) {
  const { agent, user, channel, topic, complexity, lastAt, turns, calls, denials, stopsRefused, incomplete, tokens } =
    session;
  const recent = wholeTurns(session.recent ?? []);
  const about = [agent, channel, user, topic, complexity].filter((one) => one !== undefined && one !== "");
  const href = sessionHref(session.session);
  return (
    <li className={style.row} data-id={session.session}>
      <Link href={href} className={style.title} data-row="">
        <Text className="one-line">{titleOf(session)}</Text>
      </Link>
      <span className={style.time}>
        <Time at={lastAt} />
      </span>
      <span className={style.about}>
        {about.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be the same word
          <span key={at}>
            {at > 0 && " · "}
            <Text>{one ?? ""}</Text>
          </span>
        ))}
        {" · "}
        {figure(turns)} {turns === 1 ? "turn" : "turns"} · {figure(calls)} {calls === 1 ? "call" : "calls"}
        {tokens > 0 && ` · ${shortFigure(tokens)} tokens`}
        {session.ended && " · ended"} · <code>{shortId(session.session)}</code>
        {session.parent !== undefined && (
          <>
            {" · subagent of "}
            <Link href={sessionHref(session.parent)}>
              <code>{shortId(session.parent)}</code>
            </Link>
          </>
        )}
      </span>
      <span className={style.strip}>
        <Strip events={recent} label="Newest moments" />
      </span>
      <span className={style.badges}>
        {session.failed !== undefined && (
          <span title={plainText(session.failed)}>
            <Badge tone="denied">turn failed</Badge>
          </span>
        )}
        {denials > 0 && <Badge tone="denied">denied {figure(denials)}</Badge>}
        {stopsRefused > 0 && <Badge tone="advised">stop refused {figure(stopsRefused)}</Badge>}
        {incomplete > 0 && <Badge tone="denied">incomplete {figure(incomplete)}</Badge>}
      </span>
    </li>
  );
}

/** Drops the events before the first start of a turn, if there is one. */
function wholeTurns(recent: readonly JournalEvent[]): readonly JournalEvent[] {
  const first = recent.findIndex(({ type }) => type === "message");
  return first === -1 ? recent : recent.slice(first);
}

/** Returns the label, the first message or the id. */
export function titleOf({ label = "", opener = "", session }: Summary): string {
  return [label, opener].find((one) => one.trim() !== "") ?? session;
}

export function shortId(id: string): string {
  return id.length > 20 ? `${id.slice(0, 18)}…` : id;
}
