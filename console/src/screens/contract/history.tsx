import { useDeferredValue, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Section } from "../../app/page.tsx";
import { type Answer, ask, type GatewayError } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { Button, Chip } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Diff } from "../../ui/data/diff.tsx";
import { SearchField } from "../../ui/field.tsx";
import { EmptyState, ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { BlockDiff } from "./block.tsx";
import style from "./contract.module.css";
import { queryOf, type View, ViewFields } from "./prompt-block.tsx";
import { inWords } from "./words.ts";

const PAGE = 50;

type Changed = Answer<"GET /api/contract/history">["events"][number];

/** Lists all changes with author and time, newest first, and compares any two versions. */
export function History({
  from,
  to,
  view,
  onPick,
  onView,
}: {
  readonly from: string;
  readonly to: string;
  readonly view: View;
  /** The two compared versions; empty for none. */
  readonly onPick: (from: string, to: string) => void;
  readonly onView: (part: keyof View, name: string) => void;
}) {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const first = useQuery(
    "GET /api/contract/history",
    { query: { limit: PAGE, search: wanted || undefined } },
    { keep: true },
  );
  const pick = (version: number) => {
    const one = String(version);
    if (one === from) onPick(to, "");
    else if (one === to) onPick(from, "");
    else if (from === "") onPick(one, "");
    else if (Number(one) < Number(from)) onPick(one, to === "" ? from : to);
    else onPick(from, one);
  };
  return (
    <div className={style.columns}>
      <Section title="Timeline">
        <SearchField
          label="Search the history"
          hideLabel
          placeholder="Search words, ids, people"
          value={search}
          onChange={({ target: { value } }) => setSearch(value)}
        />
        <QueryView query={first} skeleton={<Skeleton lines={10} height={48} />}>
          {({ events, next }) =>
            events.length === 0 ? (
              wanted === "" ? (
                <EmptyState title="No changes yet">
                  Every change to the contract appears here: who made it, when, and which lines changed.
                </EmptyState>
              ) : (
                <p className="quiet" role="status">
                  Nothing matches “{search}”.
                </p>
              )
            ) : (
              <Timeline key={wanted} events={events} next={next} search={wanted} from={from} to={to} onPick={pick} />
            )
          }
        </QueryView>
      </Section>
      <Compared from={from} to={to} view={view} onView={onView} />
    </div>
  );
}

function Timeline({
  events,
  next,
  search,
  from,
  to,
  onPick,
}: {
  readonly events: readonly Changed[];
  readonly next: number | undefined;
  readonly search: string;
  readonly from: string;
  readonly to: string;
  readonly onPick: (version: number) => void;
}) {
  const [older, setOlder] = useState<readonly Changed[]>([]);
  const [on, setOn] = useState<{ readonly next: number | undefined; readonly error?: GatewayError }>({ next });
  const oldest = useRef(next);
  // New entries push old ones off the first page. Those are in the loaded pages, or are loaded again.
  useEffect(() => {
    if (older.length === 0) {
      oldest.current = next;
      setOn({ next });
    }
  }, [next, older.length]);
  const seen = new Set(events.map(({ seq }) => seq));
  const all = [...events, ...older.filter(({ seq }) => !seen.has(seq))];
  async function more() {
    if (on.next === undefined) return;
    const outcome = await ask("GET /api/contract/history", {
      query: { limit: PAGE, before: on.next, search: search || undefined },
    });
    if (!outcome.ok) return setOn({ ...on, error: outcome.error });
    setOlder((before) => [...before, ...outcome.value.events]);
    setOn({ next: outcome.value.next });
  }
  return (
    <>
      <ol className={style.timeline} aria-label="Changes">
        {all.map((event) => {
          const { what, lines, note, about } = inWords(event);
          const { version } = event;
          const picked = version !== undefined && [from, to].includes(String(version));
          return (
            <li key={event.seq} className={classes(style.entry, picked && style.picked)}>
              <div className={style.about}>
                {version === undefined ? (
                  <span className={style.seq} aria-hidden="true">
                    ·
                  </span>
                ) : (
                  <Chip on={picked} onClick={() => onPick(version)} aria-label={`Compare v${version}`}>
                    v{version}
                  </Chip>
                )}
                <strong>
                  <Text>{event.by}</Text>
                </strong>
                <span>
                  <Text>{what}</Text>
                </span>
                <Time at={event.at} />
                {about !== undefined && (
                  <Link href={about.href}>
                    <code>
                      <Text>{about.id}</Text>
                    </code>
                  </Link>
                )}
              </div>
              {lines.length > 0 && (
                <Diff lines={lines} label={version === undefined ? what : `What changed at v${version}`} />
              )}
              {note !== undefined && (
                <p>
                  “<Text>{note}</Text>”
                </p>
              )}
            </li>
          );
        })}
      </ol>
      {on.error !== undefined && <ErrorText error={on.error} />}
      {on.next !== undefined && <Button onClick={() => void more()}>Earlier</Button>}
    </>
  );
}

/** Compares two versions side by side, for a view. */
function Compared({
  from,
  to,
  view,
  onView,
}: {
  readonly from: string;
  readonly to: string;
  readonly view: View;
  readonly onView: (part: keyof View, name: string) => void;
}) {
  const both = from !== "" && to !== "";
  const query = useQuery(
    "GET /api/contract/diff",
    { query: { from: Number(from), to: Number(to), ...queryOf(view) } },
    { when: both, keep: true },
  );
  return (
    <div className={classes(style.beside, both && style.answer)}>
      <Section title={both ? `From v${from} to v${to}` : "Compare two versions"}>
        <ViewFields view={view} onChange={onView} />
        {!both ? (
          <p className="quiet">
            {from === "" ? "Select two versions in the timeline" : `v${from} is selected. Select another version`} to
            compare their prompt blocks line by line.
          </p>
        ) : (
          <QueryView query={query} skeleton={<Skeleton lines={6} />}>
            {({ from: a, to: b, same, added, removed }) => (
              <>
                <p role="status">
                  {same
                    ? "The prompt block is the same in both versions."
                    : `${added.length} added, ${removed.length} removed.`}{" "}
                  <span className="quiet">
                    <code>{a.hash.slice(0, 6)}</code> → <code>{b.hash.slice(0, 6)}</code>
                  </span>
                </p>
                <BlockDiff before={a.block} after={b.block} label={`From v${from} to v${to}`} />
              </>
            )}
          </QueryView>
        )}
      </Section>
    </div>
  );
}
