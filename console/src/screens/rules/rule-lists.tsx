import { Link, useLocation, useSearch } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page, Section } from "../../app/page.tsx";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { RuleDrawer } from "./rule-drawer.tsx";
import style from "./rules.module.css";
import { type AgentRule, type AgentRules, editHref, type Standing, standingOf } from "./standing.ts";
import { StandingActions } from "./standing-actions.tsx";

export function RuleLists() {
  const standing = useQuery("GET /api/rules/standing");
  const agents = useQuery("GET /api/rules");
  const isOperator = useIsOperator();
  const [, go] = useLocation();
  const rule = new URLSearchParams(useSearch()).get("rule");
  const write = () => go("/rules/edit");
  useHotkeys(isOperator ? [{ keys: "n", does: "Write a rule", run: write }] : []);
  return (
    <Page
      title="Rules"
      lead="Conditions for tool calls. A shared rule applies to every agent in its scope; other rules belong to one agent."
      command={["rules", "list"]}
      actions={
        isOperator && (
          <Button look="main" onClick={write}>
            Write a rule
          </Button>
        )
      }
    >
      <Section title="Shared rules">
        <QueryView query={standing} skeleton={<Skeleton lines={4} height={32} />}>
          {(data) => <StandingTable rules={standingOf(data)} isOperator={isOperator} />}
        </QueryView>
      </Section>
      <QueryView query={agents} skeleton={<Skeleton lines={12} height={32} />}>
        {(data) => data.agents.map((one) => <AgentTable key={one.agent} of={one} isOperator={isOperator} />)}
      </QueryView>
      {rule !== null && (
        <RuleDrawer
          rule={rule}
          standing={standing.state === "ready" ? standingOf(standing.data) : undefined}
          agents={agents.state === "ready" ? agents.data.agents : undefined}
          onClose={() => go("/rules", { replace: true })}
        />
      )}
    </Page>
  );
}

function StandingTable({ rules, isOperator }: { readonly rules: readonly Standing[]; readonly isOperator: boolean }) {
  return (
    <DataTable
      label="Shared rules"
      rows={rules}
      keyOf={({ id }) => id}
      textOf={({ id, scope, text, status }) => `${id} ${scope} ${status} ${text}`}
      empty={
        <EmptyState title="No shared rules yet" action={isOperator && <Link href="/rules/edit">Write a rule</Link>}>
          <p>
            A shared rule applies to every agent in its scope. It starts in shadow mode: it blocks nothing and counts
            what it would have blocked, until you enforce it.
          </p>
        </EmptyState>
      }
      columns={[
        { name: "Rule", show: ({ id }) => <RuleName id={id} /> },
        { name: "Status", show: (one) => <Status of={one} /> },
        { name: "Scope", show: ({ scope }) => <Text className="mono">{scope}</Text> },
        { name: "blocked", isNumber: true, show: ({ count }) => figure(count.blocked) },
        {
          name: "would have blocked",
          isNumber: true,
          show: ({ count }) => `${figure(count.wouldHaveBlocked)}${count.partial ? "+" : ""}`,
        },
        { name: "Since", wideOnly: true, show: ({ createdAt }) => <Time at={createdAt} /> },
        ...(isOperator ? [{ name: "Actions", show: (one: Standing) => <StandingActions rule={one} /> }] : []),
      ]}
    />
  );
}

export function Status({ of }: { readonly of: Standing }) {
  if (of.status === "enforced") return <Badge tone="passed">enforced</Badge>;
  return (
    <span className="row">
      <Badge tone="advised">in shadow</Badge>
      {of.until !== undefined && (
        <span className="quiet small">
          until <Time at={of.until} />
        </span>
      )}
    </span>
  );
}

const TONES: { readonly [effect: string]: Tone } = {
  "end-turn": "denied",
  deny: "denied",
  "soft-deny": "denied",
  ask: "advised",
  warn: "advised",
};

export function Effect({ of }: { readonly of: string }) {
  return (
    <Badge tone={TONES[of] ?? "neutral"} mark={false}>
      {of}
    </Badge>
  );
}

function AgentTable({ of, isOperator }: { readonly of: AgentRules; readonly isOperator: boolean }) {
  const { agent, rules, policies, version } = of;
  return (
    <Section
      title={
        <>
          Rules of <Text>{agent}</Text>
        </>
      }
      actions={
        <span className="row">
          {isOperator && version > 0 && <Link href={editHref({ agent })}>Edit rules</Link>}
          <Link href={`/agents/${encodeURIComponent(agent)}`}>the agent</Link>
        </span>
      }
    >
      <DataTable<AgentRule>
        label={`Rules of ${agent}`}
        rows={rules}
        keyOf={({ id }) => id}
        textOf={rules.length > 5 ? ({ id, does, place }) => `${id} ${does} ${place?.file ?? ""}` : undefined}
        empty={
          <p className="quiet">This agent has no rules of its own. Write one, and save it as a rule of this agent.</p>
        }
        columns={[
          { name: "Rule", show: ({ id }) => <RuleName id={id} agent={agent} /> },
          { name: "Effect", show: ({ effect }) => <Effect of={effect} /> },
          { name: "What it does", show: ({ does }) => <Text className={style.does}>{does}</Text> },
          {
            name: "Where",
            show: ({ place }) =>
              place === undefined ? (
                "its definition"
              ) : (
                <Text className="quiet small">{`${place.file}:${place.line}, read only`}</Text>
              ),
          },
        ]}
      />
      {policies.length > 0 && (
        <p className="quiet">
          Built-in policies: <Text className="mono">{policies.join(", ")}</Text>
        </p>
      )}
    </Section>
  );
}

function RuleName({ id, agent }: { readonly id: string; readonly agent?: string }) {
  const ofAgent = agent === undefined ? "" : `&agent=${encodeURIComponent(agent)}`;
  return (
    <Link href={`/rules?rule=${encodeURIComponent(id)}${ofAgent}`}>
      <Text className="mono">{id}</Text>
    </Link>
  );
}
