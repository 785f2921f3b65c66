import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { EmptyState, ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { identityOf } from "./form/definition.ts";
import { faultsOf } from "./form/faults.ts";

type Shown = Answer<"GET /api/agents">["agents"][number];

export const agentHref = (name: string, tab?: string): string =>
  `/agents/${encodeURIComponent(name)}${tab === undefined ? "" : `?tab=${tab}`}`;

export function AgentList() {
  const query = useQuery("GET /api/agents");
  const isOperator = useIsOperator();
  const [address, set] = useAddress();
  // In the address, so that the search dialog can open it.
  const adding = isOperator && address.get("new") !== null;
  const setAdding = (isOpen: boolean) => set({ new: isOpen ? "1" : "" });
  useHotkeys(isOperator ? [{ keys: "n", does: "New agent", run: () => setAdding(true) }] : []);
  return (
    <Page
      title="Agents"
      lead="Your agents, with their prompts, tools and rules."
      actions={
        isOperator && (
          <Button look="main" onClick={() => setAdding(true)}>
            New agent
          </Button>
        )
      }
    >
      <QueryView query={query} skeleton={<Skeleton lines={6} height={40} />}>
        {({ agents }) => (
          <DataTable<Shown>
            label="Agents"
            rows={agents}
            keyOf={({ name }) => name}
            textOf={({ name, model, tools, identity }) =>
              `${name} ${model} ${tools.join(" ")} ${JSON.stringify(identity ?? {})}`
            }
            empty={
              <EmptyState title="No agents yet">
                An agent has an identity, a prompt, tools and rules. Create one here, or define it in conduct.yaml.
              </EmptyState>
            }
            columns={[
              {
                name: "Agent",
                show: ({ name }) => (
                  <Link href={agentHref(name)}>
                    <Text>{name}</Text>
                  </Link>
                ),
              },
              { name: "Description", show: ({ identity }) => <Text>{whoText(identity)}</Text> },
              { name: "Model", show: ({ model }) => <Text className="mono">{model}</Text> },
              { name: "tools", isNumber: true, show: ({ tools }) => tools.length },
              {
                name: "Version",
                show: ({ name, version }) =>
                  version === 0 ? (
                    <span className="quiet">in code</span>
                  ) : isOperator ? (
                    <Link href={agentHref(name, "versions")}>v{version}</Link>
                  ) : (
                    `v${version}`
                  ),
              },
            ]}
          />
        )}
      </QueryView>
      {adding && <NewAgent onClose={() => setAdding(false)} />}
    </Page>
  );
}

function whoText(identity: unknown): string {
  const { name = "", description = "" } = identityOf(identity);
  return [name, description].filter((part) => part !== "").join(" — ");
}

function NewAgent({ onClose }: { readonly onClose: () => void }) {
  const write = useWrite("PUT /api/agents/{name}");
  const tell = useToast();
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const fault = faultsOf(write.error)[0];
  const add = async () => {
    const given = name.trim();
    const outcome = await write.run({
      params: { name: given },
      body: {
        definition: { identity: { name: given, description: description.trim() || undefined } },
        after: 0,
        reason: "created in the console",
      },
    });
    if (!outcome.ok) return;
    tell(`${given} was created`, { tone: "passed" });
    go(agentHref(given));
  };
  return (
    <Dialog title="New agent" open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <TextField
          label="Name"
          hint="No spaces, / or #. The name cannot be changed later."
          error={fault === undefined ? undefined : <Text>{fault.message}</Text>}
          value={name}
          required
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Description (optional)"
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        {write.error !== undefined && fault === undefined && <ErrorText error={write.error} />}
        <div className="row">
          <Button type="submit" look="main" busy={write.pending} disabled={name.trim() === ""}>
            Create agent
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
