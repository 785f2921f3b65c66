import { useId } from "react";
import { Section } from "../../app/page.tsx";
import { CHANNELS } from "../../data/channels.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { TextField } from "../../ui/field.tsx";
import { Id } from "../../ui/id.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { RoomBar } from "./block.tsx";
import { CodeBlock } from "./code-block.tsx";
import style from "./contract.module.css";
import { useAgentNames } from "./edit/fields.tsx";

const VIEW = ["agent", "channel", "user"] as const;
export type View = { readonly [part in (typeof VIEW)[number]]: string };

/** Selects an agent, a channel and a user. An empty field means nobody in particular. */
export function ViewFields({
  view,
  onChange,
}: {
  readonly view: View;
  readonly onChange: (part: (typeof VIEW)[number], name: string) => void;
}) {
  const isOperator = useIsOperator();
  const agents = useAgentNames();
  const users = useQuery("GET /api/users", { query: { limit: 200 } }, { when: isOperator });
  const id = useId();
  const known = {
    agent: agents,
    channel: CHANNELS,
    user: users.state === "ready" ? users.data.users.map((one) => one.id) : [],
  };
  return (
    <div className={style.view}>
      {VIEW.map((part) => (
        <div key={part}>
          <TextField
            label={`For ${part}`}
            placeholder="any"
            list={`${id}-${part}`}
            value={view[part]}
            onChange={({ target: { value } }) => onChange(part, value.trim())}
          />
          <datalist id={`${id}-${part}`}>
            {known[part].map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
      ))}
    </div>
  );
}

/** Returns the query of a view, without empty fields. */
export function queryOf({ agent, channel, user }: View) {
  return { agent: agent || undefined, channel: channel || undefined, user: user || undefined };
}

/** Shows the exact block injected for a view, now or at a version. */
export function Told({
  view,
  onView,
  version,
  onVersion,
}: {
  readonly view: View;
  readonly onView: (part: (typeof VIEW)[number], name: string) => void;
  readonly version: number | undefined;
  readonly onVersion: (version: string) => void;
}) {
  const query = useQuery("GET /api/contract", { query: { ...queryOf(view), version } }, { keep: true });
  return (
    <Section
      title={version === undefined ? "Prompt block" : `Prompt block at v${version}`}
      actions={version !== undefined && <Button onClick={() => onVersion("")}>Show current version</Button>}
    >
      <ViewFields view={view} onChange={onView} />
      <QueryView query={query} skeleton={<Skeleton lines={6} />}>
        {({ contract, room }) => (
          <>
            {contract.block === "" ? (
              <p className={style.nothing}>No directive {version === undefined ? "is" : "was"} in force here.</p>
            ) : (
              <CodeBlock label="Prompt block text">{contract.block}</CodeBlock>
            )}
            <p className={style.about}>
              <span>v{contract.version}</span>
              <Id id={contract.hash} href={`/contract?hash=${contract.hash}`} short />
              {contract.version > 0 && <Time at={contract.generatedAt} />}
              <span>{figure(room.tokens)} tokens</span>
            </p>
            {version === undefined && <RoomBar room={room} />}
          </>
        )}
      </QueryView>
    </Section>
  );
}
