import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import { CHANNELS } from "../../data/channels.ts";
import { useQuery } from "../../data/use-query.ts";
import { Button, Chip } from "../../ui/button.tsx";
import { Export } from "../../ui/data/export.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { useRowKeys } from "../../ui/data/use-row-keys.ts";
import { SearchField, Select } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { askedBy, COMPLEXITIES, isFiltered, NO_FILTERS, PAGE_SIZE, pageOf, TOPICS } from "./filters.ts";
import { Hits } from "./hits.tsx";
import style from "./session-list.module.css";
import { SessionRow } from "./session-row.tsx";
import { useEvery } from "./use-every.ts";

const TYPING_MS = 250;
const LOOK_MS = 15_000;

/** Lists the sessions, newest first, with the filters of the address. */
export function SessionList() {
  const [address, set] = useAddress();
  const query = useQuery("GET /api/journal/sessions", { query: askedBy(address) }, { keep: true });
  useEvery(LOOK_MS, query.refresh);
  const agents = useQuery("GET /api/agents");
  const text = address.get("text") ?? "";
  const [typed, setTyped] = useState(text);
  // On navigation, the field shows the text of the address.
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => set({ text: typed, page: "" }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, text, set]);

  const box = useRef<HTMLOListElement>(null);
  useRowKeys(box);
  const page = pageOf(address);
  const total = query.state === "ready" ? query.data.total : 0;
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const turnTo = (to: number) => {
    if (to < 1 || to > pages) return;
    set({ page: to === 1 ? "" : String(to) });
    document.querySelector("main")?.scrollTo({ top: 0 });
  };
  const toggle = (name: "denied" | "incomplete" | "active") =>
    set({ [name]: address.get(name) === "true" ? "" : "true", page: "" });
  useHotkeys([
    { keys: "d", does: "Only sessions with denials", run: () => toggle("denied") },
    { keys: "x", does: "Clear filters", run: () => set(NO_FILTERS) },
    { keys: "]", does: "Next page", run: () => turnTo(page + 1) },
    { keys: "[", does: "Previous page", run: () => turnTo(page - 1) },
  ]);

  const listed = query.state === "ready" ? query.data.sessions : [];
  const names = agents.state === "ready" ? agents.data.agents.map(({ name }) => name) : [];
  return (
    <Page
      title="Sessions"
      lead="Every conversation of every runtime, as a timeline."
      actions={<Export name="sessions" rows={listed.map(({ recent: _recent, ...session }) => session)} />}
    >
      <search className={style.filters} aria-label="Filters">
        <div className={style.search}>
          <SearchField
            label="Search sessions"
            placeholder="Messages, tools, arguments, reasons"
            value={typed}
            maxLength={200}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <Choice
          label="Agent"
          all="All agents"
          value={address.get("agent") ?? ""}
          values={[...names, ...listed.map(({ agent }) => agent)]}
          onChange={(agent) => set({ agent, page: "" })}
        />
        <Choice
          label="Channel"
          all="All channels"
          value={address.get("channel") ?? ""}
          values={[...CHANNELS, ...listed.flatMap(({ channel }) => channel ?? [])]}
          onChange={(channel) => set({ channel, page: "" })}
        />
        <Select
          label="Class"
          value={address.get("class") ?? ""}
          onChange={(event) => set({ class: event.target.value, page: "" })}
        >
          <option value="">All classes</option>
          <optgroup label="Topic">
            {TOPICS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </optgroup>
          <optgroup label="Complexity">
            {COMPLEXITIES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </optgroup>
        </Select>
        <fieldset className={style.chips}>
          <legend className="unseen">Only</legend>
          <Chip on={address.get("denied") === "true"} onClick={() => toggle("denied")}>
            Denied
          </Chip>
          <Chip on={address.get("incomplete") === "true"} onClick={() => toggle("incomplete")}>
            Incomplete
          </Chip>
          <Chip on={address.get("active") === "true"} onClick={() => toggle("active")}>
            Active now
          </Chip>
          <Span address={address} />
          <Below address={address} />
          {isFiltered(address) && (
            <Button look="link" onClick={() => set(NO_FILTERS)}>
              Clear filters
            </Button>
          )}
        </fieldset>
      </search>
      {text !== "" && <Hits text={text} agent={address.get("agent") ?? ""} channel={address.get("channel") ?? ""} />}
      <QueryView query={query} skeleton={<Skeleton lines={10} height={64} />}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Nothing isFiltered={isFiltered(address) || page > 1} clear={() => set(NO_FILTERS)} />
          ) : (
            <section aria-label="Sessions">
              <p className="quiet small" role="status">
                {figure(total)}
                {query.state === "ready" && query.data.atLeast ? "+" : ""} {total === 1 ? "session" : "sessions"}
                {pages > 1 && `, page ${page} of ${figure(pages)}`}
              </p>
              <ol className={style.list} ref={box}>
                {sessions.map((one) => (
                  <SessionRow key={one.session} session={one} />
                ))}
              </ol>
              {pages > 1 && (
                <nav className={style.pages} aria-label="Pages">
                  <Button disabled={page <= 1} onClick={() => turnTo(page - 1)}>
                    Newer
                  </Button>
                  <span className="quiet">
                    {page} of {figure(pages)}
                  </span>
                  <Button disabled={page >= pages} onClick={() => turnTo(page + 1)}>
                    Older
                  </Button>
                </nav>
              )}
            </section>
          )
        }
      </QueryView>
    </Page>
  );
}

/** Selects one of the known values, or the value in the address. */
function Choice({
  label,
  all,
  value,
  values,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}) {
  const known = [...new Set([...values, ...(value === "" ? [] : [value])])].sort();
  return (
    <Select label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{all}</option>
      {known.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  );
}

/** Shows the time range selected in a chart of the overview. */
function Span({ address }: { readonly address: URLSearchParams }) {
  const [, set] = useAddress();
  const { since, until } = askedBy(address);
  if (since === undefined && until === undefined) return null;
  return (
    <Chip on onClick={() => set({ since: "", until: "", page: "" })} title="Show any time">
      {since !== undefined && (
        <>
          from <Time at={Number(since)} how="absolute" />{" "}
        </>
      )}
      {until !== undefined && (
        <>
          until <Time at={Number(until)} how="absolute" />
        </>
      )}
    </Chip>
  );
}

/** Shows the session whose subagents are listed. */
function Below({ address }: { readonly address: URLSearchParams }) {
  const [, set] = useAddress();
  const parent = address.get("parent") ?? "";
  if (parent === "") return null;
  return (
    <Chip on onClick={() => set({ parent: "", page: "" })} title="Show all sessions">
      subagents of <Text className="mono">{parent}</Text>
    </Chip>
  );
}

function Nothing({ isFiltered: filtered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  if (filtered)
    return (
      <EmptyState title="No sessions match" action={<Button onClick={clear}>Clear filters</Button>}>
        A session must match every word and every filter. A search word matches the beginning of words.
      </EmptyState>
    );
  return (
    <EmptyState title="No sessions yet" action={<Link href="/chat">Say “deploy it” in the chat</Link>}>
      <Text>Conversations from the chat, Telegram and coding agents appear here, each with its newest moments.</Text>
    </EmptyState>
  );
}
