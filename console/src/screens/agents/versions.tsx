import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Diff } from "../../ui/data/diff.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { EmptyState, ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import style from "./agents.module.css";

type Version = Answer<"GET /api/agents/{name}/versions">["versions"][number];

/** Lists who changed what and why, compares any two versions, and restores one. */
export function Versions({ name, newest }: { readonly name: string; readonly newest: number }) {
  const query = useQuery("GET /api/agents/{name}/versions", { params: { name } });
  const asked = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const [back, setBack] = useState<Version | undefined>(undefined);
  const to = numberOf(asked.get("to")) ?? newest;
  const from = numberOf(asked.get("from")) ?? Math.max(1, to - 1);
  const compare = (next: { readonly from?: number; readonly to?: number }) =>
    go(`/agents/${encodeURIComponent(name)}?tab=versions&from=${next.from ?? from}&to=${next.to ?? to}`, {
      replace: true,
    });
  return (
    <QueryView query={query} skeleton={<Skeleton lines={8} height={32} />}>
      {({ versions }) => (
        <div className="stack">
          <DataTable<Version>
            label="Versions"
            rows={versions}
            keyOf={({ version }) => String(version)}
            textOf={({ version, by, reason }) => `v${version} ${by} ${reason}`}
            empty={
              <EmptyState title="No versions yet">
                This agent is defined in code. Changes made here or in conduct.yaml appear as versions.
              </EmptyState>
            }
            columns={[
              {
                name: "Version",
                show: ({ version }) => (
                  <span className="row">
                    v{version}
                    {version === newest && <Badge tone="passed">in force</Badge>}
                  </span>
                ),
              },
              { name: "Reason", show: ({ reason }) => <Text>{reason}</Text> },
              { name: "By", show: ({ by }) => <Text>{by}</Text> },
              { name: "When", show: ({ at }) => <Time at={at} /> },
              {
                name: "Actions",
                show: (one) => (
                  <span className="row">
                    {one.version > 1 && (
                      <Button onClick={() => compare({ from: one.version - 1, to: one.version })}>Show changes</Button>
                    )}
                    {one.version !== newest && (
                      <Button onClick={() => setBack(one)}>Roll back to v{one.version}…</Button>
                    )}
                  </span>
                ),
              },
            ]}
          />
          {versions.length > 1 && (
            <Section title="Changes">
              <div className={style.fields}>
                <Select label="From" value={from} onChange={(event) => compare({ from: Number(event.target.value) })}>
                  {versions.map(({ version }) => (
                    <option key={version} value={version}>{`v${version}`}</option>
                  ))}
                </Select>
                <Select label="To" value={to} onChange={(event) => compare({ to: Number(event.target.value) })}>
                  {versions.map(({ version }) => (
                    <option key={version} value={version}>{`v${version}`}</option>
                  ))}
                </Select>
              </div>
              <Difference name={name} from={from} to={to} />
            </Section>
          )}
          {back !== undefined && <RollBack name={name} to={back} newest={newest} onClose={() => setBack(undefined)} />}
        </div>
      )}
    </QueryView>
  );
}

function Difference({ name, from, to }: { readonly name: string; readonly from: number; readonly to: number }) {
  const query = useQuery("GET /api/agents/{name}/diff", { params: { name }, query: { from, to } }, { keep: true });
  return (
    <QueryView query={query} skeleton={<Skeleton lines={8} />}>
      {({ lines }) =>
        lines.every(({ kind }) => kind === "same") ? (
          <p className="quiet">No differences.</p>
        ) : (
          <Diff label={`From v${from} to v${to}`} lines={lines} />
        )
      }
    </QueryView>
  );
}

function RollBack({
  name,
  to,
  newest,
  onClose,
}: {
  readonly name: string;
  readonly to: Version;
  readonly newest: number;
  readonly onClose: () => void;
}) {
  const write = useWrite("POST /api/agents/{name}/rollback");
  const tell = useToast();
  // The newest version when the dialog opened, so that a later save is not overwritten unseen.
  const [after] = useState(newest);
  const [reason, setReason] = useState("");
  const run = async () => {
    const outcome = await write.run({ params: { name }, body: { to: to.version, after, reason: reason.trim() } });
    if (!outcome.ok) return;
    tell(`Version ${to.version} is in force again, as version ${outcome.value.version}`, { tone: "passed" });
    onClose();
  };
  return (
    <Dialog title={`Roll back to version ${to.version}?`} open onClose={onClose} look="wide">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() !== "") void run();
        }}
      >
        <p>
          It is written again as version {after + 1}, and takes effect at the next turn of every session. Version{" "}
          {after} is kept, so you can return to it the same way.
        </p>
        <div className={style.scroll}>
          <Difference name={name} from={after} to={to.version} />
        </div>
        <TextField
          label="Reason"
          required
          value={reason}
          maxLength={400}
          onChange={(event) => setReason(event.target.value)}
        />
        {write.error !== undefined && <ErrorText error={write.error} />}
        <div className="row">
          <Button type="submit" look="main" busy={write.pending} disabled={reason.trim() === ""}>
            Roll back
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}
