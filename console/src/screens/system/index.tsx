import { CliCommand, Page } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useUser } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Schedules } from "../agents/schedules.tsx";
import style from "./system.module.css";

type System = Answer<"GET /api/system">;
type Row = { readonly name: string; readonly tone: Tone; readonly state: string; readonly detail: string };

const CHANNEL_TONES: { readonly [state: string]: Tone } = {
  connected: "passed",
  connecting: "neutral",
  failing: "denied",
};

/** The parts that the gateway relies on: whether each works, and what to do if not. */
export default function SystemScreen() {
  const query = useQuery("GET /api/system");
  const { role } = useUser();
  return (
    <Page title="System" lead="Health of this gateway, and deliveries that wait.">
      <QueryView query={query} skeleton={<Skeleton lines={12} height={32} />}>
        {(system) => (
          <>
            <Table label="Health" rows={healthOf(system)} />
            <Table label="Channels" rows={channelsOf(system)} />
            <section className={style.section} aria-label="Receivers">
              <h2>Receivers</h2>
              <Receivers of={system} />
            </section>
            {system.servers.length > 0 && <Table label="MCP servers" rows={serversOf(system)} />}
          </>
        )}
      </QueryView>
      {role === "operator" && (
        <section className={style.section} aria-label="Schedules">
          <h2>Schedules</h2>
          <Schedules />
        </section>
      )}
    </Page>
  );
}

function Table({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }) {
  return (
    <section className={style.section} aria-label={label}>
      <h2>{label}</h2>
      <DataTable<Row>
        label={label}
        rows={rows}
        keyOf={({ name }) => name}
        empty={null}
        columns={[
          { name: "Part", show: ({ name }) => <Text>{name}</Text> },
          { name: "State", show: ({ tone, state }) => <Badge tone={tone}>{state}</Badge> },
          { name: "Details", show: ({ detail }) => <Text>{detail}</Text> },
        ]}
      />
    </section>
  );
}

function healthOf({ checks, store, sandbox, version }: System): readonly Row[] {
  const kind = store.kind === "sqlite" ? "SQLite on this machine" : "PostgreSQL, shared by several gateways";
  const known = `${kind}. ${figure(store.sessions)}${store.isAtLeast === true ? " or more" : ""} sessions, ${figure(store.events)} events so far.`;
  const kept = `Events are deleted after ${store.retentionDays} days. The governance journal is kept.`;
  const isSafe = sandbox.kind !== "none";
  return [
    ...checks.map(({ name, status, message }): Row => {
      const about = name === "store" ? `${known} ${kept}` : "";
      const detail = [message ?? "", about].filter((part) => part !== "").join(" ");
      return { name, tone: status === "ok" ? "passed" : "denied", state: status, detail };
    }),
    { name: "sandbox", tone: isSafe ? "passed" : "advised", state: isSafe ? "ok" : "missing", detail: sandbox.about },
    { name: "version", tone: "neutral", state: version, detail: "" },
  ];
}

function channelsOf({ channels }: System): readonly Row[] {
  const named = { telegram: "Telegram", slack: "Slack" } as const;
  const others = Object.entries(named).map(([key, name]): Row => {
    const found = channels.find((one) => one.name === key);
    if (found === undefined)
      return { name, tone: "neutral", state: "off", detail: `Set ${SETUP[key] ?? ""} to turn it on.` };
    return { name, tone: CHANNEL_TONES[found.state] ?? "neutral", state: found.state, detail: found.detail ?? "" };
  });
  return [{ name: "web", tone: "passed", state: "connected", detail: "This console and the HTTP API." }, ...others];
}

const SETUP: { readonly [channel: string]: string } = {
  telegram: "TELEGRAM_BOT_TOKEN",
  slack: "SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET",
};

function serversOf({ servers }: System): readonly Row[] {
  return servers.map(({ agent, server, tools, why }) => ({
    name: `${agent} / ${server}`,
    tone: why === undefined ? "passed" : "denied",
    state: why === undefined ? "ok" : "failing",
    detail: why ?? `${tools ?? 0} tools`,
  }));
}

type Receiver = System["receivers"][number];

function Receivers({ of: { receivers } }: { readonly of: System }) {
  return (
    <DataTable<Receiver>
      label="Receivers"
      rows={receivers}
      keyOf={({ name }) => name}
      empty={
        <EmptyState title="No receivers yet">
          Webhooks and e-mails send questions, denials, failed turns, contract changes and digests elsewhere. Add them
          to gateway.webhooks or gateway.emails in conduct.yaml.
        </EmptyState>
      }
      columns={[
        { name: "Name", show: ({ name }) => <Text>{name}</Text> },
        { name: "To", show: ({ to }) => <Text className="mono">{to}</Text> },
        { name: "Waiting", isNumber: true, show: ({ waiting }) => figure(waiting) },
        {
          name: "Failed",
          isNumber: true,
          show: ({ failed }) => (failed === 0 ? "0" : <Badge tone="denied">{figure(failed)}</Badge>),
        },
        {
          name: "Log",
          show: ({ name }) => <CliCommand words={["webhooks", "log", "--webhook", name]} />,
          wideOnly: true,
        },
      ]}
    />
  );
}
