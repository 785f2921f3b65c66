import { useEffect, useState } from "react";
import { Link } from "wouter";
import { Page } from "../../app/page.tsx";
import { CHANNELS } from "../../data/channels.ts";
import { ask, type GatewayError } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { useSettled } from "../../data/use-settled.ts";
import { isChatter, type JournalEvent } from "../../moments/line-of.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { MomentRow } from "../../moments/moment-row.tsx";
import { Button, Chip } from "../../ui/button.tsx";
import { Export } from "../../ui/data/export.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { SearchField, Select } from "../../ui/field.tsx";
import { EmptyState, ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useAddress } from "../../ui/use-address.ts";
import style from "./activity.module.css";
import { askedBy, KIND_NAMES, NO_FILTERS } from "./filters.ts";

type Older = { readonly of: string; readonly events: readonly JournalEvent[]; readonly next: number | undefined };

/** Lists the events of all sessions, newest first, as they happen. Every figure of the home page opens this list. */
export default function ActivityScreen() {
  const [address, set] = useAddress();
  const asked = askedBy(address);
  const key = JSON.stringify(asked);
  const query = useQuery("GET /api/events", { query: asked }, { keep: true });
  const agents = useQuery("GET /api/agents");
  const [older, setOlder] = useState<Older>({ of: "", events: [], next: undefined });
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const [open, setOpen] = useState<string | undefined>(undefined);
  const [typed, setTyped] = useState(address.get("text") ?? "");
  const settled = useSettled(typed.trim());
  useEffect(() => set({ text: settled }), [settled, set]);
  const more = older.of === key ? older : undefined;
  const newest = query.state === "ready" ? query.data.events : [];
  const shown = withoutRepeats([...newest, ...(more?.events ?? [])]).filter(
    (event) => asked.kind !== undefined || !isChatter(event),
  );
  const next = more?.next ?? (more === undefined && query.state === "ready" ? query.data.next : undefined);
  const loadOlder = async () => {
    const page = await ask("GET /api/events", { query: { ...asked, before: next } });
    setError(page.ok ? undefined : page.error);
    if (!page.ok) return;
    setOlder({ of: key, events: [...(more?.events ?? []), ...page.value.events], next: page.value.next });
  };
  const clear = () => {
    setTyped("");
    set(NO_FILTERS);
  };
  const names = agents.state === "ready" ? agents.data.agents.map(({ name }) => name) : [];
  const choose = (label: string, name: "agent" | "channel", all: string, values: readonly string[]) => {
    const value = address.get(name) ?? "";
    return (
      <Select label={label} value={value} onChange={(event) => set({ [name]: event.target.value })}>
        <option value="">{all}</option>
        {[...new Set([...values, ...(value === "" ? [] : [value])])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
    );
  };
  return (
    <Page
      title="Activity"
      lead="Events of all sessions, newest first. New ones appear as they happen."
      actions={<Export name="activity" rows={shown} />}
    >
      <search className={style.filters} aria-label="Filters">
        <SearchField
          label="Search events"
          placeholder="Messages, tools, arguments, reasons"
          value={typed}
          maxLength={200}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Select label="Kind" value={address.get("kind") ?? ""} onChange={(event) => set({ kind: event.target.value })}>
          <option value="">All events</option>
          {Object.entries(KIND_NAMES).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Select>
        {choose("Agent", "agent", "All agents", names)}
        {choose("Channel", "channel", "All channels", CHANNELS)}
        {(asked.since !== undefined || asked.until !== undefined) && (
          <Chip on title="Show any time" onClick={() => set({ since: "", until: "" })}>
            {asked.since !== undefined && (
              <>
                from <Time at={Number(asked.since)} how="absolute" />{" "}
              </>
            )}
            {asked.until !== undefined && (
              <>
                until <Time at={Number(asked.until)} how="absolute" />
              </>
            )}
          </Chip>
        )}
      </search>
      <QueryView query={query} skeleton={<Skeleton lines={12} height={32} />}>
        {() =>
          shown.length === 0 && next === undefined ? (
            <EmptyState title="No events match" action={<Button onClick={clear}>Clear filters</Button>}>
              Messages, prompts, calls, results, stops and errors of every session appear here.
            </EmptyState>
          ) : (
            <>
              <p className="quiet small" role="status">
                {figure(shown.length)} {shown.length === 1 ? "event" : "events"}
                {next !== undefined && " loaded"}
              </p>
              <ol className={style.list} aria-label="Events">
                {shown.map((event) => (
                  <li key={event.id} className={style.item}>
                    <span className={style.of}>
                      <Text>{event.agent}</Text>{" "}
                      <Link href={sessionHref(event.session, event.id)}>
                        <code>{event.session.slice(-6)}</code>
                      </Link>
                    </span>
                    <MomentRow
                      event={event}
                      open={open === event.id}
                      onToggle={({ id }) => setOpen((now) => (now === id ? undefined : id))}
                    />
                  </li>
                ))}
              </ol>
              {error !== undefined && <ErrorText error={error} />}
              {next !== undefined && <Button onClick={() => void loadOlder()}>Load older events</Button>}
            </>
          )
        }
      </QueryView>
    </Page>
  );
}

function withoutRepeats(events: readonly JournalEvent[]): readonly JournalEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}
