import { useMemo } from "react";
import { Link } from "wouter";
import type { BehaviorDirective } from "../../../../src/base/words/contract.ts";
import { useQuery } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { useNow } from "../../ui/time.tsx";
import { type AdherenceRow, daysOf, sumInWords, sumOf } from "./adherence.ts";
import { AdherenceChart } from "./adherence-chart.tsx";
import style from "./contract.module.css";
import { EvidenceList } from "./evidence-list.tsx";

const DAYS = 30;

/** What a directive did: turn by turn as its check tells, and where it was not followed. */
export function DirectiveDetails({ directive }: { readonly directive: BehaviorDirective }) {
  const { id, evidence } = directive;
  const query = useQuery("GET /api/adherence", { query: { directive: id } });
  return (
    <>
      <QueryView query={query} skeleton={<Skeleton lines={5} />}>
        {({ rows, sessions }) => <Measured rows={rows} sessions={sessions} />}
      </QueryView>
      {evidence !== undefined && evidence.length > 0 && (
        <div className="stack">
          <h3>Evidence</h3>
          <EvidenceList quotes={evidence} />
        </div>
      )}
    </>
  );
}

function Measured({
  rows,
  sessions,
}: {
  readonly rows: readonly AdherenceRow[];
  readonly sessions: { readonly [event: string]: string };
}) {
  const now = useNow();
  const days = useMemo(() => daysOf(rows, DAYS, now), [rows, now]);
  const checks = [...Map.groupBy(rows, ({ by }) => by)];
  if (rows.length === 0)
    return <p className="quiet">No turn has used this directive yet. Adherence appears here from the next turn on.</p>;
  const violations = rows
    .toReversed()
    .flatMap(({ day, shown }) => shown.violated.toReversed().map((event) => ({ day, event })));
  return (
    <>
      <AdherenceChart days={days} />
      <p className={style.legendRow}>
        <span>
          <span className={style.followed} aria-hidden="true" /> followed
        </span>
        <span>
          <span className={style.violated} aria-hidden="true" /> violated
        </span>
        <span>
          <span className={style.cannotTell} aria-hidden="true" /> not measured
        </span>
        <span className="quiet">last {DAYS} days, by turn</span>
      </p>
      <ul>
        {checks.map(([by, own]) => (
          <li key={by ?? ""}>
            {by === undefined ? (
              <span className="quiet">No check set, so compliance isn't measured.</span>
            ) : (
              <>
                <code>
                  <Text>{by}</Text>
                </code>
                : {sumInWords(sumOf(own))}
              </>
            )}
          </li>
        ))}
      </ul>
      {violations.length > 0 && (
        <div>
          <h3>Violations</h3>
          <ul className={style.violations}>
            {violations.slice(0, 20).map(({ day, event }) => (
              <li key={event}>
                {sessions[event] === undefined ? (
                  <span className="quiet">{day}, expired</span>
                ) : (
                  <Link href={sessionHref(sessions[event], event)}>
                    {day} · <Text>{sessions[event]}</Text>
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
