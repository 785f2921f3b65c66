import { Link, useSearch } from "wouter";
import { useIsOperator } from "../../data/store.tsx";
import { sessionHref, whyHref } from "../../moments/moment-details.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Id } from "../../ui/id.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { Effect, Status } from "./rule-lists.tsx";
import style from "./rules.module.css";
import { type AgentRule, type AgentRules, editHref, replayHref, type Standing } from "./standing.ts";
import { StandingActions } from "./standing-actions.tsx";

/** A rule: where it is in force, its text, its effects and links. */
export function RuleDrawer({
  rule,
  standing,
  agents,
  onClose,
}: {
  readonly rule: string;
  readonly standing: readonly Standing[] | undefined;
  readonly agents: readonly AgentRules[] | undefined;
  readonly onClose: () => void;
}) {
  const only = new URLSearchParams(useSearch()).get("agent");
  const found = standing?.find(({ id }) => id === rule);
  const own = (agents ?? [])
    .filter(({ agent }) => only === null || agent === only)
    .flatMap(({ agent, rules }) => rules.filter(({ id }) => id === rule).map((one) => ({ agent, one })));
  const inCode = (agents ?? []).filter(({ policies }) => policies.includes(rule)).map(({ agent }) => agent);
  const nothing = found === undefined && own.length === 0;
  return (
    <Dialog title={`Rule ${rule}`} open onClose={onClose} look="side">
      {standing === undefined || agents === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <div className="stack">
          {found !== undefined && <StandingDetails rule={found} onClose={onClose} />}
          {own.map(({ agent, one }) => (
            <OwnDetails key={agent} agent={agent} rule={one} />
          ))}
          {nothing && inCode.length > 0 && (
            <p>
              This is a policy of <Text>{inCode.join(", ")}</Text>, defined in code or by <code>policies</code>: it
              cannot be edited here. You can add a rule of your own.
            </p>
          )}
          {nothing && inCode.length === 0 && (
            <p>No rule in force has this name. It may be a built-in check, or a rule that was removed.</p>
          )}
          {nothing && <Links from={{ on: rule }} />}
        </div>
      )}
    </Dialog>
  );
}

function StandingDetails({ rule, onClose }: { readonly rule: Standing; readonly onClose: () => void }) {
  const isOperator = useIsOperator();
  const { count } = rule;
  return (
    <section className="stack" aria-label="Shared rule">
      <p className="row">
        <Status of={rule} /> <Text className="mono">{rule.scope}</Text>
        <span className="quiet">
          since <Time at={rule.createdAt} />
        </span>
        {rule.from !== undefined && (
          <span>
            from <Id id={rule.from} href={`/contract?directive=${encodeURIComponent(rule.from)}`} />
          </span>
        )}
      </p>
      <RuleText text={rule.text} />
      <p>
        It blocked {figure(count.blocked)} and would have blocked {figure(count.wouldHaveBlocked)} more, in{" "}
        {figure(count.sessions)} {count.sessions === 1 ? "session" : "sessions"}
        {count.partial ? ", in the part of the journal that was searched" : ""}.
      </p>
      {count.examples.length > 0 && (
        <ul aria-label="Newest decisions">
          {count.examples.map(({ decision, session, at }) => (
            <li key={decision} className="row">
              <Id id={decision} href={whyHref(decision)} copy={false} />
              <Id id={session} href={sessionHref(session)} copy={false} short />
              <span className="quiet">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Links from={{ standing: rule.id }} />
      {isOperator && <StandingActions rule={rule} onRemoved={onClose} />}
    </section>
  );
}

function OwnDetails({ agent, rule }: { readonly agent: string; readonly rule: AgentRule }) {
  return (
    <section className="stack" aria-label={`Rule of ${agent}`}>
      <p className="row">
        <Effect of={rule.effect} />
        <span>
          of <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link>
        </span>
        <span className="quiet">
          {rule.place === undefined ? (
            "in its definition"
          ) : (
            <Text>{`${rule.place.file}:${rule.place.line}, read only`}</Text>
          )}
        </span>
      </p>
      <p>
        <Text>{rule.does}</Text>
      </p>
      <RuleText text={rule.text} />
      <Links from={{ rule: rule.id, agent }} />
    </section>
  );
}

function Links({ from }: { readonly from: { readonly [key: string]: string } }) {
  const isOperator = useIsOperator();
  if (!isOperator) return null;
  return (
    <p className="row">
      <Link href={replayHref(from)}>Replay with a change…</Link>
      <Link href={editHref(from)}>Write a rule from this…</Link>
    </p>
  );
}

function RuleText({ text }: { readonly text: string }) {
  return (
    <pre className={style.text}>
      <Text>{text}</Text>
    </pre>
  );
}
