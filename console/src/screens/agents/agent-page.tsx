import { Link, useLocation, useSearch } from "wouter";
import { Page, Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useIsOperator, useUser } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Row } from "../../moments/moment-details.tsx";
import { QueryView, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Text } from "../../ui/text.tsx";
import style from "./agents.module.css";
import { identityOf } from "./form/definition.ts";
import { DefinitionForm } from "./form/definition-form.tsx";
import { Schedules } from "./schedules.tsx";
import { Versions } from "./versions.tsx";

type Shown = Answer<"GET /api/agents/{name}">;
type TabName = "definition" | "schedules" | "versions";

export function AgentPage({ name }: { readonly name: string }) {
  const query = useQuery("GET /api/agents/{name}", { params: { name } });
  const { role } = useUser();
  const isOperator = useIsOperator();
  const asked = new URLSearchParams(useSearch()).get("tab");
  const [, go] = useLocation();
  const tabs: readonly { readonly name: TabName; readonly label: string }[] = [
    { name: "definition", label: "Definition" },
    ...(role === "viewer" ? [] : [{ name: "schedules" as const, label: "Schedules" }]),
    ...(isOperator ? [{ name: "versions" as const, label: "Versions" }] : []),
  ];
  const current = tabs.find((tab) => tab.name === asked)?.name ?? "definition";
  return (
    <Page
      title={name}
      within={{ name: "Agents", href: "/agents" }}
      lead={<Lead of={query.state === "ready" ? query.data : undefined} />}
      actions={
        <>
          {role !== "viewer" && <Link href="/chat">Chat with agent</Link>}
          {role !== "user" && <Link href={`/sessions?agent=${encodeURIComponent(name)}`}>Show sessions</Link>}
        </>
      }
    >
      <QueryView query={query} skeleton={<Skeleton lines={16} />}>
        {(agent) => (
          <Tabs
            label="Agent pages"
            tabs={tabs}
            current={current}
            onChange={(tab) => go(`/agents/${encodeURIComponent(name)}?tab=${tab}`, { replace: true })}
          >
            {current === "schedules" ? (
              <Schedules agent={name} />
            ) : current === "versions" ? (
              <Versions name={name} newest={agent.version} />
            ) : isOperator && agent.version > 0 ? (
              <DefinitionForm name={name} given={agent} />
            ) : (
              <Facts agent={agent} isOperator={isOperator} />
            )}
          </Tabs>
        )}
      </QueryView>
    </Page>
  );
}

function Lead({ of }: { readonly of: Shown | undefined }) {
  if (of === undefined) return "…";
  const { description, vibe } = identityOf(of.identity);
  const text = [description, vibe].filter((part) => part !== undefined).join(" · ");
  return <Text>{text === "" ? "No description." : text}</Text>;
}

/** Read-only view of the definition. */
function Facts({ agent, isOperator }: { readonly agent: Shown; readonly isOperator: boolean }) {
  const identity = identityOf(agent.identity);
  return (
    <div className="stack">
      <p className="quiet">
        {agent.version === 0
          ? "This agent is defined in code and can only be changed there. Agents from conduct.yaml, or created here, can be edited here."
          : `Version ${agent.version}. ${isOperator ? "" : "Only operators can change it."}`}
      </p>
      <Section title="Summary">
        <dl className={style.facts}>
          {identity.name !== undefined && (
            <Row name="name">
              <Text>{identity.name}</Text>
            </Row>
          )}
          {identity.vibe !== undefined && (
            <Row name="vibe">
              <Text>{identity.vibe}</Text>
            </Row>
          )}
          <Row name="model">
            <Text className="mono">{agent.model}</Text>
          </Row>
          <Row name="tools">
            <Text className="mono">{agent.tools.length === 0 ? "none" : agent.tools.join(", ")}</Text>
          </Row>
          {agent.soul !== undefined && (
            <Row name="soul">
              <Text className="said">{agent.soul}</Text>
            </Row>
          )}
        </dl>
      </Section>
    </div>
  );
}
