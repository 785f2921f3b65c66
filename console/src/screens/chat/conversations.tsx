import { useState } from "react";
import { Link } from "wouter";
import { useUser } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { useSettled } from "../../data/use-settled.ts";
import { SearchField } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./conversations.module.css";

const MOST = 50;

/** Lists the user's own web conversations, newest first. The search covers all of their events. */
export function Conversations({ current }: { readonly current: string | undefined }) {
  const user = useUser();
  const own = { channel: "web", user: user.id, limit: MOST };
  const [search, setSearch] = useState("");
  const text = useSettled(search.trim());
  const query = useQuery("GET /api/sessions", { query: own });
  // The titles come from the journal; without them the list still works.
  const known = useQuery("GET /api/journal/sessions", { query: { ...own, recent: 1 } });
  const found = useQuery(
    "GET /api/journal/sessions",
    { query: { ...own, recent: 1, text } },
    { when: text !== "", keep: true },
  );
  const about = new Map(known.state === "ready" ? known.data.sessions.map((one) => [one.session, one]) : []);
  return (
    <nav aria-label="Conversations" className={style.list}>
      <SearchField
        label="Search conversations"
        hideLabel
        placeholder="Search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {text === "" ? (
        <QueryView query={query} skeleton={<Skeleton lines={6} height={48} />}>
          {({ sessions }) =>
            sessions.length === 0 ? (
              <EmptyState title="No conversations yet">
                Your conversations appear here. Write a message to start one.
              </EmptyState>
            ) : (
              <Items items={sessions.map((one) => ({ ...one, ...about.get(one.id) }))} current={current} />
            )
          }
        </QueryView>
      ) : (
        <QueryView query={found} skeleton={<Skeleton lines={6} height={48} />}>
          {({ sessions }) =>
            sessions.length === 0 ? (
              <p className={style.none} role="status">
                No conversation matches “<Text>{text}</Text>”.
              </p>
            ) : (
              <Items items={sessions.map((one) => ({ ...one, id: one.session }))} current={current} />
            )
          }
        </QueryView>
      )}
    </nav>
  );
}

type Item = {
  readonly id: string;
  readonly agent: string;
  readonly lastAt: number;
  readonly label?: string | undefined;
  readonly opener?: string | undefined;
  readonly denials?: number;
};

function Items({ items, current }: { readonly items: readonly Item[]; readonly current: string | undefined }) {
  return (
    <ul>
      {items.map(({ id, agent, lastAt, label = "", opener = "", denials = 0 }) => (
        <li key={id}>
          <Link
            href={`/chat/${encodeURIComponent(id)}`}
            className={style.item}
            aria-current={id === current ? "page" : undefined}
          >
            <Text className="one-line">{label || opener || "New conversation"}</Text>
            <span className={style.about}>
              <Text>{`${agent} · `}</Text>
              <Time at={lastAt} />
              {denials > 0 && ` · denied ${denials}`}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
