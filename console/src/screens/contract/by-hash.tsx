import { useEffect } from "react";
import { useQuery } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";

/** A contract version, and the view in which a prompt contained it. */
export type FoundHash = {
  readonly version: string;
  readonly agent: string;
  readonly channel: string;
  readonly user: string;
};

/** Finds the contract of a hash, by the newest prompt that contained it. */
export function ByHash({
  hash,
  onFound,
  onGone,
}: {
  readonly hash: string;
  readonly onFound: (found: FoundHash) => void;
  readonly onGone: () => void;
}) {
  const query = useQuery("GET /api/events", { query: { contract: hash, limit: 1 } });
  const [event] = query.state === "ready" ? query.data.events : [];
  const prompt = event?.type === "prompt" ? event : undefined;
  const session = useQuery(
    "GET /api/journal/sessions/{id}",
    { params: { id: prompt?.session ?? "" } },
    { when: prompt !== undefined },
  );
  useEffect(() => {
    if (prompt?.contract === undefined || session.state === "loading") return;
    const { channel = "", user = "" } = session.state === "ready" ? session.data : {};
    onFound({ version: String(prompt.contract.version), agent: prompt.agent, channel, user });
  }, [prompt, session, onFound]);
  return (
    <QueryView query={query}>
      {({ events }) =>
        events.length > 0 ? null : (
          <EmptyState
            title="No prompt with this contract"
            action={<Button onClick={onGone}>Show the current contract</Button>}
          >
            <code>{hash.slice(0, 20)}</code> is the hash of a contract that no stored prompt contains.
          </EmptyState>
        )
      }
    </QueryView>
  );
}
