import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { ContractReplayReport } from "../../../../src/apps/learning/replay/replay-contract.ts";
import type { ReplayReport } from "../../../../src/apps/learning/replay/replay-sessions.ts";
import type { Decision } from "../../../../src/base/words/decision.ts";
import type { Cause } from "../../../../src/engine/replay/compare-decisions.ts";
import type { ReplayChange, SessionReplay } from "../../../../src/engine/replay/event-replayer.ts";
import { Section } from "../../app/page.tsx";
import { RuleLink, sessionHref, whyHref } from "../../moments/moment-details.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Diff } from "../../ui/data/diff.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { SearchField } from "../../ui/field.tsx";
import { Id } from "../../ui/id.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./replay.module.css";

export type Replayed =
  | { readonly kind: "rules"; readonly since: string; readonly report: ReplayReport }
  | { readonly kind: "contract"; readonly since: string; readonly report: ContractReplayReport };

const KINDS: { readonly [K in ReplayChange["kind"]]: { readonly word: string; readonly tone: Tone } } = {
  "newly-denied": { word: "newly denied", tone: "denied" },
  "no-longer-denied": { word: "no longer denied", tone: "passed" },
  "newly-asked": { word: "newly asked", tone: "advised" },
  "no-longer-asked": { word: "no longer asked", tone: "passed" },
  otherwise: { word: "other change", tone: "neutral" },
  "cannot-tell": { word: "cannot tell", tone: "advised" },
};
/** Number of sessions shown at first. */
const PAGE = 50;

export function RulesReport({ report }: { readonly report: ReplayReport }) {
  const { details, left, undefinedAgents } = report;
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(PAGE);
  const found = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/);
    return details.filter((one) => words.every((word) => textOf(one).includes(word)));
  }, [details, search]);
  return (
    <div className="stack">
      <Summary report={report} />
      {undefinedAgents.length > 0 && (
        <p>
          Not defined here, so replayed without their own rules: <Text>{undefinedAgents.join(", ")}</Text>
        </p>
      )}
      {details.length === 0 ? (
        <EmptyState title={report.calls === 0 ? "Nothing to replay" : "Nothing would change"}>
          {report.calls === 0
            ? "No calls were recorded in this period. Choose a longer period, or another agent."
            : "Every decision would be the same."}
        </EmptyState>
      ) : (
        <Section title="By session">
          <SearchField
            label="Search the changes"
            hideLabel
            placeholder="Search session, tool, rule, kind"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          {found.length === 0 && <p className="quiet">Nothing matches.</p>}
          <ul className={style.sessions} aria-label="Sessions that change">
            {found.slice(0, shown).map((one) => (
              <SessionChanges key={one.session} of={one} />
            ))}
          </ul>
          {found.length > shown && (
            <p>
              <Button look="link" onClick={() => setShown((now) => now + PAGE)}>
                {figure(found.length - shown)} more sessions
              </Button>
            </p>
          )}
          {left > 0 && <p className="quiet">{figure(left)} more changes are counted but not listed.</p>}
        </Section>
      )}
    </div>
  );
}

function Summary({ report }: { readonly report: ReplayReport }) {
  const counts: readonly (readonly [number, ReplayChange["kind"]])[] = [
    [report.newlyDenied, "newly-denied"],
    [report.noLongerDenied, "no-longer-denied"],
    [report.newlyAsked, "newly-asked"],
    [report.noLongerAsked, "no-longer-asked"],
    [report.otherwise, "otherwise"],
    [report.cannotTell, "cannot-tell"],
  ];
  return (
    <section aria-label="Summary" className="stack">
      <p className={style.headline}>
        {figure(report.changed)} of {figure(report.calls)} {report.calls === 1 ? "decision" : "decisions"} would change,
        in {figure(report.sessions)} {report.sessions === 1 ? "session" : "sessions"}
      </p>
      <p className="row">
        {counts
          .filter(([count]) => count > 0)
          .map(([count, kind]) => (
            <Badge key={kind} tone={KINDS[kind].tone}>
              {figure(count)} {KINDS[kind].word}
            </Badge>
          ))}
        <span className="quiet">nothing was changed</span>
      </p>
    </section>
  );
}

function SessionChanges({ of }: { readonly of: SessionReplay }) {
  const { session, agent, channel, startedAt, calls, changes } = of;
  return (
    <li className={style.session}>
      <p className="row">
        <Id id={session} href={sessionHref(session)} />
        <Text>{channel === undefined ? agent : `${agent}, ${channel}`}</Text>
        <span className="quiet">
          <Time at={startedAt} how="clock" /> · {changes.length} of {calls}
        </span>
      </p>
      <ol className={style.changes}>
        {changes.map((change) => (
          <Change key={change.decision} of={change} />
        ))}
      </ol>
    </li>
  );
}

function Change({ of }: { readonly of: ReplayChange }) {
  const { word, tone } = KINDS[of.kind];
  return (
    <li className={style.change} id={`change-${of.decision}`}>
      <span className="row">
        <Badge tone={tone}>{word}</Badge>
        <Text className="mono">{of.tool}</Text>
        <Text className={style.args}>{argsText(of.args)}</Text>
      </span>
      <span className={style.words}>
        {of.kind === "cannot-tell" ? (
          <>
            was <Said decision={of.was.decision} />; the new decision is unknown: <Text>{of.why}</Text>
          </>
        ) : (
          <>
            was <Said decision={of.was.decision} />, would be <Said decision={of.now.decision} />
          </>
        )}
      </span>
      {of.kind !== "cannot-tell" && of.causes.map((cause) => <CauseLine key={JSON.stringify(cause)} of={cause} />)}
      <span className="row small">
        {of.follows !== undefined && (
          <span>
            follows from <Id id={of.follows} href={whyHref(of.follows)} copy={false} />
          </span>
        )}
        <Id id={of.decision} href={whyHref(of.decision)} copy={false} />
        <span className="quiet">
          turn {of.turn}, <Time at={of.at} how="clock" />
        </span>
      </span>
    </li>
  );
}

function Said({ decision }: { readonly decision: Decision }) {
  if (decision.kind === "allow") {
    const advice = decision.advice.map(({ rule }) => rule);
    return advice.length === 0 ? (
      <>allowed</>
    ) : (
      <>
        allowed with advice of <Text className="mono">{advice.join(", ")}</Text>
      </>
    );
  }
  return (
    <>
      {decision.kind === "deny" ? (decision.endTurn ? "denied, turn ended" : "denied") : "asked"} by{" "}
      <Text className="mono">{decision.rule}</Text>
    </>
  );
}

/** Explains why the decision differs. */
function CauseLine({ of }: { readonly of: Cause }) {
  return (
    <span className={style.cause}>
      because{" "}
      {of.kind === "rewrite" ? (
        of.now === "none" ? (
          "its arguments stay unchanged"
        ) : (
          "its arguments are rewritten"
        )
      ) : (
        <RuleLink rule={of.rule} />
      )}{" "}
      {of.kind === "objects" && (
        <>
          objects ({of.effect}): <Text>{of.reason}</Text>
          {of.missing.length > 0 && <Text>{` · missing ${of.missing.map(({ what }) => what).join(", ")}`}</Text>}
        </>
      )}
      {of.kind === "silent" && `no longer objects (it was ${of.effect})`}
      {of.kind === "effect" && `says ${of.effect} and no longer ${of.was}`}
      {of.kind === "escalation" && (
        <>
          moved: <Text>{of.was}</Text> → <Text>{of.now}</Text>
        </>
      )}
      {"place" in of && of.place !== undefined && <Text className="quiet">{` ${of.place.file}:${of.place.line}`}</Text>}
    </span>
  );
}

export function ContractReport({ report }: { readonly report: ContractReplayReport }) {
  const { version, sessions, turns, changed, cannotTell, details, left } = report;
  return (
    <div className="stack">
      <section aria-label="Summary" className="stack">
        <p className={style.headline}>
          {figure(changed)} of {figure(turns)} {turns === 1 ? "turn" : "turns"} would have had other directives under{" "}
          <Link href={`/contract?version=${version}`}>version {version}</Link>, in {figure(sessions)}{" "}
          {sessions === 1 ? "session" : "sessions"}
        </p>
        {cannotTell > 0 && <p>{figure(cannotTell)} unknown.</p>}
      </section>
      {details.length === 0 ? (
        <EmptyState title="No turn would change" />
      ) : (
        <ul className={style.sessions} aria-label="Sessions that change">
          {details.map(({ session, agent, startedAt, changes }) => (
            <li key={session} className={style.session}>
              <p className="row">
                <Id id={session} href={sessionHref(session)} />
                <Text>{agent}</Text>
                <span className="quiet">
                  <Time at={startedAt} how="clock" />
                </span>
              </p>
              {changes.map((change) => (
                <div key={change.from} className={style.change}>
                  <span>
                    {change.from === change.to ? `turn ${change.from}` : `turns ${change.from} to ${change.to}`},{" "}
                    <span className="quiet">was version {change.was.version}</span>
                  </span>
                  {change.kind === "cannot-tell" ? (
                    <Text>{change.why}</Text>
                  ) : (
                    <Diff
                      label={`Directives of turn ${change.from}`}
                      lines={[
                        ...change.removed.map((text) => ({ kind: "gone" as const, text })),
                        ...change.added.map((text) => ({ kind: "new" as const, text })),
                      ]}
                    />
                  )}
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
      {left > 0 && <p className="quiet">{figure(left)} more sessions are counted but not listed.</p>}
    </div>
  );
}

function argsText(args: ReplayChange["args"]): string {
  const values = Object.values(args);
  const [only] = values;
  const text = values.length === 1 && typeof only === "string" ? only : values.length === 0 ? "" : JSON.stringify(args);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

function textOf({ session, agent, channel = "", changes }: SessionReplay): string {
  const each = changes.map(
    (one) =>
      `${one.decision} ${one.tool} ${KINDS[one.kind].word} ${one.kind === "cannot-tell" ? one.why : one.causes.map((cause) => ("rule" in cause ? cause.rule : "")).join(" ")} ${argsText(one.args)}`,
  );
  return `${session} ${agent} ${channel} ${each.join(" ")}`.toLowerCase();
}
