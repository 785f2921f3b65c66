import { useMemo } from "react";
import { Link } from "wouter";
import type { BehaviorDirective } from "../../../../src/base/words/contract.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Id } from "../../ui/id.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { type AdherenceRow, daysOf, type Sums, sumInWords, sumOf } from "./adherence.ts";
import { AdherenceBar, AdherenceChart } from "./adherence-chart.tsx";
import style from "./contract.module.css";
import { checkText } from "./edit/check-form.ts";
import { EvidenceList } from "./evidence-list.tsx";
import { lineOf } from "./words.ts";

const DAYS = 30;

/** Shows a directive's check results by turn, and its violations. */
function DirectiveDetails({ directive }: { readonly directive: BehaviorDirective }) {
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

type Tally = { readonly helpful: number; readonly harmful: number };
export type RowActions = {
  readonly onToggle: (id: string) => void;
  readonly onEdit: (directive: BehaviorDirective) => void;
  readonly onRemove: (directive: BehaviorDirective) => void;
  readonly onHarden: (directive: BehaviorDirective) => void;
};

/** A directive with its adherence and marks. Expands to all details. */
export function DirectiveRow({
  directive,
  sums,
  tally,
  isOpen,
  actions: { onToggle, onEdit, onRemove, onHarden },
}: {
  readonly directive: BehaviorDirective;
  readonly sums: Sums | undefined;
  readonly tally: Tally;
  readonly isOpen: boolean;
  readonly actions: RowActions;
}) {
  const isOperator = useIsOperator();
  const { id, type, text, expiresAt, source, createdAt, check, candidate } = directive;
  return (
    <li className={classes(style.directive, isOpen && style.open)} data-id={id}>
      <button type="button" data-row="" className={style.line} aria-expanded={isOpen} onClick={() => onToggle(id)}>
        <span className="kind">{type.toUpperCase()}</span>
        <Text className="said">{text}</Text>
      </button>
      <div className={style.about}>
        <span>
          {source === "daily-review" ? (
            candidate === undefined ? (
              "from the review"
            ) : (
              <Link href={`/inbox?candidate=${encodeURIComponent(candidate)}`}>from the review</Link>
            )
          ) : (
            "added"
          )}{" "}
          <Time at={createdAt} />
        </span>
        {expiresAt !== undefined && (
          <Badge tone="advised">
            expires <Time at={expiresAt} />
          </Badge>
        )}
        {check !== undefined && (
          <code title="check">
            <Text>{checkText(check)}</Text>
          </code>
        )}
        <AdherenceBar sums={sums} />
        <Marks id={id} line={lineOf(directive)} tally={tally} />
      </div>
      {isOpen && (
        <div className={style.details}>
          <DirectiveDetails directive={directive} />
          <div className="row">
            {isOperator && (
              <>
                <Button onClick={() => onEdit(directive)}>
                  Edit <kbd>E</kbd>
                </Button>
                <Button look="danger" onClick={() => onRemove(directive)}>
                  Remove <kbd>D</kbd>
                </Button>
                <Button onClick={() => onHarden(directive)}>Create rule…</Button>
              </>
            )}
            <Id id={id} href={`/contract?directive=${encodeURIComponent(id)}`} />
          </div>
        </div>
      )}
    </li>
  );
}

/** Marks the directive as helpful or harmful. */
function Marks({ id, line, tally }: { readonly id: string; readonly line: string; readonly tally: Tally }) {
  const isOperator = useIsOperator();
  const mark = useWrite("POST /api/contract/directives/{id}/mark");
  const tell = useToast();
  const press = async (word: "helpful" | "harmful") => {
    const outcome = await mark.run({ params: { id }, body: { mark: word } });
    if (!outcome.ok) tell(outcome.error.message, { tone: "denied" });
  };
  if (!isOperator)
    return (
      <span className="quiet">
        helpful {tally.helpful}, harmful {tally.harmful}
      </span>
    );
  return (
    <span className={style.marks}>
      {(["helpful", "harmful"] as const).map((word) => (
        <button
          key={word}
          type="button"
          className={style.mark}
          disabled={mark.pending}
          aria-label={`Mark as ${word}: ${line}. So far ${tally[word]}`}
          onClick={() => void press(word)}
        >
          <span aria-hidden="true">{word === "helpful" ? "+" : "−"}</span> {word} {tally[word]}
        </button>
      ))}
    </span>
  );
}
