import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import type { Decision } from "../../../src/base/words/decision.ts";
import type { ConductEvent } from "../../../src/base/words/event.ts";
import { useStore } from "../data/store.tsx";
import { Badge } from "../ui/badge.tsx";
import { Id } from "../ui/id.tsx";
import { Text } from "../ui/text.tsx";
import { Time } from "../ui/time.tsx";
import { figure, TokenBar } from "../ui/token-bar.tsx";
import type { JournalEvent } from "./line-of.ts";
import style from "./moment-details.module.css";

/** Everything that is known of an event, as rows. */
export function MomentDetails({ event }: { readonly event: JournalEvent }) {
  return (
    <div className="stack">
      <dl className={style.rows}>
        {rowsOf(event)}
        {event.observing !== undefined && (
          <Row name="enforced">
            <Badge tone="advised">no: {event.observing}</Badge> the agent noticed nothing of this
          </Row>
        )}
        <EventRow event={event} />
      </dl>
      {event.type === "call" && <DecisionLinks decision={event.decision} />}
    </div>
  );
}

/** Its own id, which leads to where it stands in its timeline. */
function EventRow({ event }: { readonly event: JournalEvent }) {
  const isUser = useStore().user.role === "user";
  return (
    <Row name="event">
      <Id id={event.id} href={isUser ? undefined : sessionHref(event.session, event.id)} />
    </Row>
  );
}

/** Where to go from a decision. */
function DecisionLinks({ decision }: { readonly decision: Decision }) {
  const isUser = useStore().user.role === "user";
  const [isHere] = useRoute(whyHref(decision.id));
  if (isUser) return null;
  return (
    <p className="row small">
      {!isHere && <Link href={whyHref(decision.id)}>why</Link>}
      <Link href={`/replay?decision=${encodeURIComponent(decision.id)}`}>replay with a change…</Link>
    </p>
  );
}

export const whyHref = (decision: string): string => `/why/${encodeURIComponent(decision)}`;
export const sessionHref = (session: string, event?: string): string =>
  `/sessions/${encodeURIComponent(session)}${event === undefined ? "" : `?event=${encodeURIComponent(event)}`}`;

export function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function rowsOf(event: JournalEvent): ReactNode {
  switch (event.type) {
    case "message":
      return (
        <>
          <Row name="said">
            <Text className="said">{event.text}</Text>
          </Row>
          {event.sender !== undefined && (
            <Row name="by">
              <Text>{event.sender.user ?? event.sender.id ?? "somebody"}</Text>, {event.sender.role}
            </Row>
          )}
          {event.reply !== undefined && (
            <Row name="answered">
              <Text className="said">{event.reply}</Text>
            </Row>
          )}
          {event.notes?.map((note) => (
            <Row key={note} name="told beside it">
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
          {event.shadows?.map(({ rule, reason }) => (
            <Row key={rule} name="in shadow">
              <RuleLink rule={rule} /> would have denied it: <Text>{reason}</Text>
            </Row>
          ))}
          <Row name="arguments">
            <Code>{JSON.stringify(event.call.args, null, 2)}</Code>
          </Row>
          {event.call.native.name !== event.call.tool && (
            <Row name="asked as">
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
            <Row name="because">
              <Text className="said">{event.feedback ?? event.why ?? ""}</Text>
            </Row>
          )}
          {event.status === "refused" && (
            <Row name="went on">
              {event.refusals} of {event.bound}
            </Row>
          )}
        </>
      );
    case "approval":
      return (
        <>
          <Row name="answered">
            <Badge tone={event.answer === "yes" ? "passed" : "denied"}>{event.answer}</Badge> by <Text>{event.by}</Text>
          </Row>
          {event.reason !== undefined && (
            <Row name="because">
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

/** What a denial, a question or an allow says, in the words of the decision itself. */
export function DecisionRows({ decision }: { readonly decision: Decision }) {
  return (
    <>
      {decision.kind !== "allow" && (
        <Row name="rule">
          <RuleLink rule={decision.rule} />
          {decision.place !== undefined && (
            <Text className="quiet small">{` ${decision.place.file}:${decision.place.line}`}</Text>
          )}
        </Row>
      )}
      {decision.kind === "deny" && (
        <>
          <Row name="because">
            <Text className="said">{decision.reason}</Text>
          </Row>
          {decision.missing.length > 0 && (
            <Row name="missing">
              <ul>
                {decision.missing.map(({ what, why }) => (
                  <li key={what}>
                    <Text className="mono">{what}</Text> <Text className="quiet">{why}</Text>
                  </li>
                ))}
              </ul>
            </Row>
          )}
          <Row name="next">
            <Text className="said">{decision.next}</Text>
          </Row>
          <Row name="attempts">
            {decision.endTurn
              ? "the turn ends here"
              : decision.attemptsLeft === 0
                ? "the tool is withdrawn for this turn"
                : `${decision.attemptsLeft} left before the tool is withdrawn for this turn`}
          </Row>
          {decision.others.map(({ rule, reason }) => (
            <Row key={rule} name="also">
              <RuleLink rule={rule} />: <Text>{reason}</Text>
            </Row>
          ))}
        </>
      )}
      {decision.kind === "ask" && (
        <>
          <Row name="asks">
            <Text className="said">{decision.question}</Text>
          </Row>
          <Row name="until">
            <Time at={decision.expiresAt} />
          </Row>
        </>
      )}
      {decision.kind === "allow" && decision.because !== undefined && (
        <Row name="allowed because">{decision.because}</Row>
      )}
      {decision.kind === "allow" &&
        decision.advice.map(({ rule, text, level }) => (
          <Row key={rule} name={level}>
            <RuleLink rule={rule} />: <Text>{text}</Text>
          </Row>
        ))}
      <Row name="decision">
        <Id id={decision.id} href={whyHref(decision.id)} />
      </Row>
    </>
  );
}

export function RuleLink({ rule }: { readonly rule: string }) {
  return (
    <Link href={`/rules?rule=${encodeURIComponent(rule)}`}>
      <Text className="mono">{rule}</Text>
    </Link>
  );
}

function PromptRows({ event }: { readonly event: Extract<ConductEvent, { type: "prompt" }> }) {
  const most = Math.max(1, ...event.sections.map(({ tokens }) => tokens));
  return (
    <>
      <Row name="tokens">
        {figure(event.tokens)}, of which {figure(event.prefixTokens)} stay as they are{" "}
        <TokenBar part={event.prefixTokens} of={event.tokens} label="stable" />
      </Row>
      {event.contract !== undefined && (
        <Row name="contract">
          <Link href={`/contract?version=${event.contract.version}`}>v{event.contract.version}</Link>{" "}
          <code className="quiet">{event.contract.hash.slice(0, 6)}</code>
          {event.contract.degraded === true && " (the last known one: the store could not be read)"}
        </Row>
      )}
      <Row name="sections">
        <ul className={style.sections}>
          {event.sections.map(({ contributor, tokens }) => (
            <li key={contributor}>
              <Text className="one-line">{contributor}</Text>
              <TokenBar part={tokens} of={most} label={contributor} />
              <span className={style.figure}>{figure(tokens)}</span>
            </li>
          ))}
        </ul>
      </Row>
      {event.cuts.map(({ contributor, limit, kept, of }) => (
        <Row key={contributor} name="cut">
          <Text>{contributor}</Text>: {figure(kept)} of {figure(of)} characters, by {limit}
        </Row>
      ))}
      <Row name="whole prompt">
        <Link href={`/prompt?session=${encodeURIComponent(event.session)}&turn=${event.turn}`}>
          every line with its contributor
        </Link>
      </Row>
    </>
  );
}

function ResultRows({ event }: { readonly event: Extract<ConductEvent, { type: "result" }> }) {
  return (
    <>
      <Row name="outcome">
        {event.outcome}
        {event.exitCode === undefined ? "" : `, exit code ${event.exitCode}`}
      </Row>
      {event.truncation.map(({ original, kept, estimated, limit, handle, strategy }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the truncations of one result never move
        <Row key={at} name="shortened">
          {estimated ? "~" : ""}
          {figure(original)} → {figure(kept)} tokens <TokenBar part={kept} of={original} label="kept" /> ({strategy},
          limit {figure(limit)})
          {handle !== undefined && (
            <>
              {" "}
              whole result <code>{handle}</code>
            </>
          )}
        </Row>
      ))}
      {event.feedback.map(({ providerName, summary, suggestions, severity }) => (
        <Row key={providerName} name={severity}>
          <Text>{summary}</Text>
          {suggestions.map((one) => (
            <p key={one}>
              → <Text>{one}</Text>
            </p>
          ))}
        </Row>
      ))}
    </>
  );
}

/** Most decisions need none. */
function hasFacts(facts: ConductEvent["facts"]): boolean {
  return Object.values(facts ?? {}).some(
    (kind) => typeof kind !== "object" || kind === null || Object.keys(kind).length > 0,
  );
}

/** Only what the event says itself. */
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
