import { useDeferredValue, useState } from "react";
import { useQuery } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SearchField } from "../../ui/field.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { titleOf } from "./session-row.tsx";
import style from "./session-view.module.css";

const MOST = 20;

/** Picks the session that is shown next to this one. */
export function CompareDialog({
  id,
  onPick,
  onClose,
}: {
  readonly id: string;
  readonly onPick: (other: string) => void;
  readonly onClose: () => void;
}) {
  const [search, setSearch] = useState("");
  const text = useDeferredValue(search.trim());
  const given = { limit: MOST + 1, recent: 1, text: text === "" ? undefined : text };
  const query = useQuery("GET /api/journal/sessions", { query: given }, { keep: true });
  return (
    <Dialog title="Compare with" open onClose={onClose}>
      <SearchField
        label="Search sessions"
        hideLabel
        placeholder="Search messages"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <QueryView query={query} skeleton={<Skeleton lines={6} height={32} />}>
        {({ sessions }) => {
          const others = sessions.filter(({ session }) => session !== id).slice(0, MOST);
          if (others.length === 0) return <p className="quiet">No other sessions yet.</p>;
          return (
            <ul className={style.picks}>
              {others.map((one) => (
                <li key={one.session}>
                  <Button look="link" onClick={() => onPick(one.session)}>
                    <Text className="one-line">{titleOf(one)}</Text>
                  </Button>
                  <span className="quiet small">
                    <Text>{one.agent}</Text> · <Time at={one.lastAt} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
    </Dialog>
  );
}
