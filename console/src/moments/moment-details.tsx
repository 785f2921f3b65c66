import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import type { Decision } from "../../../src/base/words/decision.ts";
import type { ConductEvent } from "../../../src/base/words/event.ts";
import { useStore } from "../data/store.tsx";
import { Badge } from "../ui/badge.tsx";
import { Id } from "../ui/id.tsx";
import { Text } from "../ui/text.tsx";
import { DecisionRows } from "./decision-rows.tsx";
import type { JournalEvent } from "./line-of.ts";
import { Row, RuleLink, sessionHref, whyHref } from "./links.tsx";
import style from "./moment-details.module.css";
import { PromptRows, ResultRows } from "./prompt-and-result-rows.tsx";

export { Row, RuleLink, sessionHref, whyHref };

/** Shows all data of an event as rows. */
export function MomentDetails({ event }: { readonly event: JournalEvent }) {
  return (
    <div className="stack">
      <dl className={style.rows}>
        {rowsOf(event)}
        {event.observing !== undefined && (
          <Row name="enforced">
            <Badge tone="advised">no: {event.observing}</Badge> The agent was not affected.
          </Row>
        )}
        <EventRow event={event} />
      </dl>
      {event.type === "call" && <DecisionLinks decision={event.decision} />}
    </div>
  );
}

/** Shows the event's id with a link to its place in the timeline. */
export function EventRow({ event }: { readonly event: JournalEvent }) {
  const isUser = useStore().user.role === "user";
  return (
    <Row name="event">
      <Id id={event.id} href={isUser ? undefined : sessionHref(event.session, event.id)} />
    </Row>
  );
}

/** Links from a decision to its reasons and to the replay. */
export function DecisionLinks({ decision }: { readonly decision: Decision }) {
  const isUser = useStore().user.role === "user";
  const [isHere] = useRoute(whyHref(decision.id));
  if (isUser) return null;
  return (
    <p className="row small">
      {!isHere && <Link href={whyHref(decision.id)}>why</Link>}
      <Link href={`/replay?decision=${encodeURIComponent(decision.id)}`}>Replay with a change…</Link>
    </p>
  );
}

function rowsOf(event: JournalEvent): ReactNode {
  switch (event.type) {
    case "message":
      return (
        <>
          <Row name="message">
            <Text className="said">{event.text}</Text>
          </Row>
          {event.sender !== undefined && (
            <Row name="sender">
              <Text>{event.sender.user ?? event.sender.id ?? "unknown"}</Text>, {event.sender.role}
            </Row>
          )}
          {event.reply !== undefined && (
            <Row name="reply">
              <Text className="said">{event.reply}</Text>
            </Row>
          )}
          {event.notes?.map((note) => (
            <Row key={note} name="note">
              <Text className="said">{note}</Text>
            </Row>
          ))}
        </>
      );
    case "prompt":
      return <PromptRows event={event} />;
    case "call":
      return (
        <>
          <DecisionRows decision={event.decision} />
          {event.shadows?.map(({ rule, reason, asks }) => (
            <Row key={rule} name="in shadow">
              <RuleLink rule={rule} /> would have {asks ? "asked" : "denied it"}: <Text>{reason}</Text>
            </Row>
          ))}
          <Row name="arguments">
            <Code>{JSON.stringify(event.call.args, null, 2)}</Code>
          </Row>
          {event.call.native.name !== event.call.tool && (
            <Row name="runtime call">
              <Text className="mono">{`${event.call.native.runtime}: ${event.call.native.name}`}</Text>
            </Row>
          )}
          {hasFacts(event.facts) && (
            <Row name="facts">
              <Code>{JSON.stringify(event.facts, null, 2)}</Code>
            </Row>
          )}
          {event.contract_hash !== undefined && (
            <Row name="in force">
              contract <Id id={event.contract_hash} short href={`/contract?hash=${event.contract_hash}`} />
            </Row>
          )}
        </>
      );
    case "result":
      return <ResultRows event={event} />;
    case "stop":
      return (
        <>
          <Row name="status">{event.status}</Row>
          {(event.feedback ?? event.why) !== undefined && (
            <Row name="reason">
              <Text className="said">{event.feedback ?? event.why ?? ""}</Text>
            </Row>
          )}
          {event.status === "refused" && (
            <Row name="refusals">
              {event.refusals} of {event.bound}
            </Row>
          )}
        </>
      );
    case "approval":
      return (
        <>
          <Row name="answered">
            <Badge tone={event.answer === "no" ? "denied" : "passed"}>{event.answer}</Badge> by <Text>{event.by}</Text>
          </Row>
          {event.reason !== undefined && (
            <Row name="reason">
              <Text className="said">{event.reason}</Text>
            </Row>
          )}
          <Row name="question">
            <Id id={event.approval} href={whyHref(event.approval)} />
          </Row>
        </>
      );
    case "fault":
      return (
        <>
          <Row name="fault">
            <Text className="said">{event.fault.message}</Text>
          </Row>
          <Row name="where">
            <Text className="mono">{event.fault.where}</Text>
          </Row>
          <Row name="code">
            <code>{event.fault.code}</code>
          </Row>
          {event.fault.decision !== undefined && (
            <Row name="decision">
              <Id id={event.fault.decision} href={whyHref(event.fault.decision)} />
            </Row>
          )}
        </>
      );
    default:
      return (
        <Row name={event.type}>
          <Code>{JSON.stringify(bodyOf(event), null, 2)}</Code>
        </Row>
      );
  }
}

/** Whether there are facts to show; most decisions need none. */
function hasFacts(facts: ConductEvent["facts"]): boolean {
  return Object.values(facts ?? {}).some(
    (kind) => typeof kind !== "object" || kind === null || Object.keys(kind).length > 0,
  );
}

/** Returns only the event's own fields. */
function bodyOf(event: ConductEvent): Record<string, unknown> {
  const envelope = new Set([
    "v",
    "id",
    "seq",
    "at",
    "session",
    "parent",
    "agent",
    "run",
    "turn",
    "step",
    "facts",
    "observing",
    "contract_hash",
    "position",
    "type",
  ]);
  return Object.fromEntries(Object.entries(event).filter(([name]) => !envelope.has(name)));
}

function Code({ children }: { readonly children: string }) {
  return (
    <pre className={style.code}>
      <Text>{children}</Text>
    </pre>
  );
}
