import { Link } from "wouter";
import type { ReviewRecord } from "../../../../src/apps/learning/review/steps.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { RuleLink } from "../../moments/moment-details.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import style from "./inbox.module.css";

/** Shows the next review and the latest results, with a button that starts one now. */
export function ReviewBar() {
  const isOperator = useIsOperator();
  const query = useQuery("GET /api/review/runs", { query: { limit: 20 } });
  const digest = useQuery("GET /api/review/digest");
  const run = useWrite("POST /api/review/run", ["contract", "adherence"]);
  const tell = useToast();
  async function now() {
    const outcome = await run.run();
    if (!outcome.ok) return;
    const record = outcome.value.record;
    tell(
      record === undefined
        ? "No new events since the last review"
        : `Reviewed ${seenIn(record)}: ${record.proposed.length} proposed, ${record.merged.length} with more evidence`,
      { tone: "passed" },
    );
  }
  const due = digest.state === "ready" ? digest.data.rules : [];
  return (
    <div className={style.review}>
      <QueryView query={query} skeleton={<Skeleton lines={1} />}>
        {({ runs, nextAt, total }) => {
          const [last, ...more] = runs;
          return (
            <>
              <p>
                {nextAt === undefined ? (
                  "The review runs on demand."
                ) : (
                  <>
                    The next review is <Time at={nextAt} />.
                  </>
                )}{" "}
                {last === undefined ? (
                  <span className="quiet">No review has run yet.</span>
                ) : (
                  <span className="quiet">
                    The last review, <Time at={last.at} />, read {seenIn(last)} and proposed {last.proposed.length}.
                  </span>
                )}
              </p>
              {last !== undefined && (
                <details className={style.runs}>
                  <summary>Findings of the {total === 1 ? "review" : `last ${Math.min(total, 20)} reviews`}</summary>
                  <ol>
                    {[last, ...more].map((record) => (
                      <Run key={record.window.run} record={record} />
                    ))}
                  </ol>
                </details>
              )}
            </>
          );
        }}
      </QueryView>
      {isOperator && (
        <Button busy={run.pending} onClick={() => void now()}>
          Run review
        </Button>
      )}
      {run.error !== undefined && <ErrorText error={run.error} />}
      {due.length > 0 && (
        <p className={style.due}>
          Shadow mode has ended. Decide on the Rules page:{" "}
          {due.map((rule) => (
            <span key={rule}>
              <RuleLink rule={rule} />{" "}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

function seenIn({ sessions, messages, decisions }: ReviewRecord): string {
  const plural = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
  return `${plural(sessions, "session")}, ${plural(messages, "message")} and ${plural(decisions, "decision")}`;
}

function Run({ record }: { readonly record: ReviewRecord }) {
  const { at, good_patterns, bad_patterns, proposed, refused, model } = record;
  const patterns = [...bad_patterns, ...good_patterns];
  return (
    <li>
      <Time at={at} />: {seenIn(record)}, {proposed.length} proposed
      {model !== undefined && (
        <>
          , with <Text>{model.name}</Text>
          {model.fault !== undefined && (
            <>
              {" "}
              (<Text>{model.fault}</Text>)
            </>
          )}
        </>
      )}
      {patterns.length + refused.length > 0 && (
        <ul>
          {patterns.map(({ text, candidate }) => (
            <li key={`${candidate} ${text}`}>
              {candidate === undefined ? (
                <Text>{text}</Text>
              ) : (
                <Link href={`/inbox?candidate=${encodeURIComponent(candidate)}`}>
                  <Text>{text}</Text>
                </Link>
              )}
            </li>
          ))}
          {refused.map(({ text, why }) => (
            <li key={`${why} ${text}`} className="quiet">
              not proposed: <Text>{text}</Text> (<Text>{why}</Text>)
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
