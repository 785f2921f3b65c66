import { Link } from "wouter";
import { useUser } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./conversations.module.css";

/** Your own conversations on the web, the newest first. */
export function Conversations({ current }: { readonly current: string | undefined }) {
  const user = useUser();
  const query = useQuery("GET /api/sessions", { query: { channel: "web", user: user.id, limit: 50 } });
  // What they are about stands in the journal; a list without it is still a list.
  const known = useQuery("GET /api/journal/sessions", { query: { channel: "web", user: user.id, limit: 50 } });
  const about = new Map(known.state === "ready" ? known.data.sessions.map((one) => [one.session, one]) : []);
  return (
    <nav aria-label="Conversations" className={style.list}>
      <QueryView query={query} skeleton={<Skeleton lines={6} height={48} />}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState title="No conversations yet">What you say to an agent stands here afterwards.</EmptyState>
          ) : (
            <ul>
              {sessions.map((session) => {
                const { label = "", denials = 0 } = about.get(session.id) ?? {};
                return (
                  <li key={session.id}>
                    <Link
                      href={`/chat/${encodeURIComponent(session.id)}`}
                      className={style.item}
                      aria-current={session.id === current ? "page" : undefined}
                    >
                      <Text className="one-line">{label === "" ? session.agent : label}</Text>
                      <span className={style.about}>
                        {label !== "" && <Text>{`${session.agent} · `}</Text>}
                        <Time at={session.lastAt} />
                        {denials > 0 && ` · denied ${denials}`}
                      </span>
                    </Link>
                  </li>
                );
              })}
            </ul>
          )
        }
      </QueryView>
    </nav>
  );
}
