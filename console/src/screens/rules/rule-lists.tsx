import { useMemo, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { Select } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { RuleDrawer } from "./rule-drawer.tsx";
import { KINDS, type RuleKind, type RuleShown, sourceOf } from "./rule-kinds.ts";
import style from "./rules.module.css";

/** Every rule in one list, whoever wrote it, and the drawer of the selected one. */
export function RuleLists() {
  const all = useQuery("GET /api/rules/all");
  const isOperator = useIsOperator();
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const rule = asked.get("rule");
  const write = () => go("/rules/edit");
  useHotkeys(isOperator ? [{ keys: "n", does: "Write a rule", run: write }] : []);
  return (
    <Page
      title="Rules"
      lead="Every condition for tool calls, and what it did in the last 30 days. Open a rule to read, test or change it."
      command={["rules", "list"]}
      actions={
        isOperator && (
          <Button look="main" onClick={write}>
            Write a rule
          </Button>
        )
      }
    >
      <QueryView query={all} skeleton={<Skeleton lines={12} height={32} />}>
        {(data) => <RuleTable rules={data.rules} isOperator={isOperator} />}
      </QueryView>
      {rule !== null && (
        <RuleDrawer
          rule={rule}
          agent={asked.get("agent")}
          rules={all.state === "ready" ? all.data.rules : undefined}
          onClose={() => go("/rules", { replace: true })}
        />
      )}
    </Page>
  );
}

function RuleTable({ rules, isOperator }: { readonly rules: readonly RuleShown[]; readonly isOperator: boolean }) {
  const [kind, setKind] = useState<RuleKind | "">("");
  const [agent, setAgent] = useState("");
  const agents = useMemo(() => [...new Set(rules.flatMap((one) => one.agents ?? []))].sort(), [rules]);
  const rows = useMemo(
    () =>
      rules
        .filter((one) => kind === "" || one.kind === kind)
        .filter((one) => agent === "" || one.agents === undefined || one.agents.includes(agent))
        .toSorted((a, b) => totalOf(b) - totalOf(a)),
    [rules, kind, agent],
  );
  const present = KINDS.filter(({ name }) => rules.some((one) => one.kind === name));
  return (
    <DataTable
      label="Rules"
      rows={rows}
      keyOf={({ key }) => key}
      textOf={(one) =>
        `${one.id} ${one.why ?? ""} ${one.does} ${sourceOf(one)} ${one.effect ?? ""} ${(one.agents ?? []).join(" ")}`
      }
      tools={
        <>
          <Select label="Source" hideLabel value={kind} onChange={(event) => setKind(event.target.value as RuleKind)}>
            <option value="">All sources</option>
            {present.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </Select>
          <Select label="Agent" hideLabel value={agent} onChange={(event) => setAgent(event.target.value)}>
            <option value="">All agents</option>
            {agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </>
      }
      empty={
        <EmptyState title="No rule matches" action={isOperator && <Link href="/rules/edit">Write a rule</Link>}>
          <p>Choose another source or agent.</p>
        </EmptyState>
      }
      columns={[
        {
          name: "Rule",
          show: (one) => (
            <>
              <RuleName rule={one} />
              <Text className={`${style.about} quiet small`}>{one.why ?? one.does}</Text>
            </>
          ),
        },
        { name: "Effect", show: (one) => <Status of={one} /> },
        { name: "Source", show: (one) => <Text className="small">{sourceOf(one)}</Text> },
        { name: "Applies to", wideOnly: true, show: (one) => <Text>{one.agents?.join(", ") ?? "every agent"}</Text> },
        { name: "Blocked", isNumber: true, show: ({ count }) => <Count of={count.blocked} /> },
        { name: "Asked", isNumber: true, show: ({ count }) => <Count of={count.asked} /> },
        {
          name: "Would block",
          isNumber: true,
          show: ({ count }) => <Count of={count.wouldHaveBlocked} />,
        },
      ]}
    />
  );
}

function Count({ of }: { readonly of: number }) {
  return <span className={of === 0 ? "quiet" : undefined}>{figure(of)}</span>;
}

function totalOf({ count }: RuleShown): number {
  return count.blocked + count.asked + count.wouldHaveBlocked;
}

export function Status({ of }: { readonly of: Pick<RuleShown, "status" | "effect"> }) {
  if (of.status === "shadow") return <Badge tone="advised">in shadow</Badge>;
  return of.effect === undefined ? <Badge tone="passed">enforced</Badge> : <Effect of={of.effect} />;
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

function RuleName({ rule: { id, kind, agents } }: { readonly rule: RuleShown }) {
  const [first] = kind === "shared" ? [] : (agents ?? []);
  const ofAgent = first === undefined ? "" : `&agent=${encodeURIComponent(first)}`;
  return (
    <Link href={`/rules?rule=${encodeURIComponent(id)}${ofAgent}`}>
      <Text className="mono">{id}</Text>
    </Link>
  );
}
