import { Page } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Id } from "../../ui/id.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useEvery } from "../sessions/use-every.ts";

type Gateway = Answer<"GET /api/replicas">["replicas"][number];

/** As often as a gateway sends its heartbeat, twice. */
const REFRESH_MS = 2_000;
/** A gateway that is silent for longer is about to be declared dead. */
const SILENT_MS = 3_000;
const MOST_SHOWN = 20;

/** Lists the gateways that share the store, and the conversations that each of them owns. */
export default function GatewaysScreen() {
  const query = useQuery("GET /api/replicas");
  useEvery(REFRESH_MS, query.refresh);
  return (
    <Page
      title="Gateways"
      lead="Gateways that share this store, and the conversations that each of them owns."
      command={["gateway", "replicas"]}
    >
      <QueryView query={query} skeleton={<Skeleton lines={3} height={40} />}>
        {({ self, replicas }) =>
          replicas.length === 0 ? (
            <EmptyState title="One gateway">
              <p>
                This store is an SQLite file, which has one gateway at a time. Set <code>CONDUCT_STORE</code> to a
                PostgreSQL URL to run several gateways; they appear here.
              </p>
            </EmptyState>
          ) : (
            <DataTable<Gateway>
              label="Gateways"
              rows={replicas}
              keyOf={({ id }) => id}
              textOf={({ id, host, url = "", version }) => `${id} ${host} ${url} ${version}`}
              empty={<p className="quiet">No gateway matches.</p>}
              columns={[
                {
                  name: "Gateway",
                  show: ({ id, url = "starting", host, pid }) => (
                    <>
                      <Text>{url}</Text> {id === self && <Badge mark={false}>this one</Badge>}
                      <div className="quiet">
                        <Text>{`${host}, process ${pid}`}</Text>
                      </div>
                    </>
                  ),
                },
                { name: "State", show: (one) => <State {...one} /> },
                { name: "Running turns", show: ({ running }) => running },
                { name: "Owns", show: ({ owns }) => <Owned owns={owns} /> },
                { name: "Live events", show: ({ redis }) => (redis === true ? "Redis" : "PostgreSQL"), wideOnly: true },
                { name: "Version", show: ({ version }) => version, wideOnly: true },
                { name: "Started", show: ({ since }) => <Time at={since} />, wideOnly: true },
              ]}
            />
          )
        }
      </QueryView>
    </Page>
  );
}

function State({ draining, silentMs }: Pick<Gateway, "draining" | "silentMs">) {
  if (draining) return <Badge tone="advised">shutting down</Badge>;
  if (silentMs > SILENT_MS) return <Badge tone="denied">silent for {Math.round(silentMs / 1_000)} s</Badge>;
  return <Badge tone="passed">running</Badge>;
}

function Owned({ owns }: Pick<Gateway, "owns">) {
  const conversations = owns.filter((id) => !id.startsWith("conduct:"));
  if (conversations.length === 0) return <span className="quiet">no conversation</span>;
  return (
    <div className="stack">
      {conversations.slice(0, MOST_SHOWN).map((id) => (
        <Id key={id} id={id} href={`/sessions/${encodeURIComponent(id)}`} copy={false} />
      ))}
      {conversations.length > MOST_SHOWN && <span className="quiet">and {conversations.length - MOST_SHOWN} more</span>}
    </div>
  );
}
