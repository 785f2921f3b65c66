import { useState } from "react";
import { Link } from "wouter";
import type { ScheduleRun } from "../../../../src/base/words/hosting/schedule.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import type { Answer } from "../../data/client.ts";
import { useStore } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button, Chip } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Id } from "../../ui/id.tsx";
import { EmptyState, ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ScheduleForm } from "./schedule-form.tsx";

export type Schedule = Answer<"GET /api/schedules">["schedules"][number];

type Opened = { readonly kind: "new" } | { readonly kind: "edit" | "runs" | "remove"; readonly schedule: Schedule };

/** The schedules of an agent. Without one: all schedules, which are added at their agents. */
export function Schedules({ agent }: { readonly agent?: string }) {
  const query = useQuery("GET /api/schedules");
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const close = () => setOpened(undefined);
  const add = agent !== undefined;
  useHotkeys(add ? [{ keys: "n", does: "New schedule", run: () => setOpened({ kind: "new" }) }] : []);
  return (
    <QueryView query={query} skeleton={<Skeleton lines={6} height={40} />}>
      {({ schedules }) => (
        <>
          <DataTable<Schedule>
            label="Schedules"
            rows={schedules.filter((one) => !add || one.agent === agent)}
            keyOf={({ id }) => id}
            textOf={({ say, cron, zone, user, agent: of }) => `${say} ${cron} ${zone} ${user} ${of}`}
            tools={add && <Button onClick={() => setOpened({ kind: "new" })}>New schedule</Button>}
            empty={
              <EmptyState title="No schedules yet">
                A schedule sends {add ? "this" : "an"} agent a message in your name at set times. The reply is saved as
                a conversation, and can be sent to Telegram or Slack.{!add && " Create one on the page of its agent."}
              </EmptyState>
            }
            columns={[
              { name: "Message", show: ({ say }) => <Text className="said">{say}</Text> },
              ...(add ? [] : [AGENT]),
              {
                name: "When",
                show: ({ cron, zone }) => (
                  <span>
                    <Text className="mono">{cron}</Text> <Text className="quiet small">{zone}</Text>
                  </span>
                ),
              },
              {
                name: "Next",
                show: ({ next }) => (next === undefined ? <span className="quiet">never</span> : <Time at={next} />),
              },
              { name: "User", show: ({ user }) => <Text>{user}</Text> },
              { name: "On", show: (one) => <Switch of={one} /> },
              {
                name: "Actions",
                show: (schedule) => (
                  <span className="row">
                    <Button onClick={() => setOpened({ kind: "runs", schedule })}>Show runs</Button>
                    {schedule.fixed === true ? (
                      <span className="quiet small">from conduct.yaml</span>
                    ) : (
                      <>
                        <Button onClick={() => setOpened({ kind: "edit", schedule })}>Edit…</Button>
                        <Button look="danger" onClick={() => setOpened({ kind: "remove", schedule })}>
                          Remove…
                        </Button>
                      </>
                    )}
                  </span>
                ),
              },
            ]}
          />
          {opened?.kind === "new" && add && <ScheduleForm agent={agent} onClose={close} />}
          {opened?.kind === "edit" && (
            <ScheduleForm agent={opened.schedule.agent} schedule={opened.schedule} onClose={close} />
          )}
          {opened?.kind === "runs" && <Runs of={opened.schedule} onClose={close} />}
          {opened?.kind === "remove" && <Remove of={opened.schedule} onClose={close} />}
        </>
      )}
    </QueryView>
  );
}

const AGENT: Column<Schedule> = {
  name: "Agent",
  show: ({ agent }) => (
    <Link href={`/agents/${encodeURIComponent(agent)}`}>
      <Text>{agent}</Text>
    </Link>
  ),
};

/** Turns a schedule on or off; the change is shown at once. */
function Switch({ of }: { readonly of: Schedule }) {
  const { cache } = useStore();
  const write = useWrite("PATCH /api/schedules/{id}");
  const tell = useToast();
  const put = (enabled: boolean) =>
    cache.set("GET /api/schedules", undefined, ({ schedules }) => ({
      schedules: schedules.map((one) => (one.id === of.id ? { ...one, enabled } : one)),
    }));
  const change = async () => {
    put(!of.enabled);
    const outcome = await write.run({ params: { id: of.id }, body: { enabled: !of.enabled } });
    if (outcome.ok) return;
    put(of.enabled);
    tell(outcome.error.message, { tone: "denied" });
  };
  return (
    <Chip on={of.enabled} aria-label={`enabled: ${of.say}`} onClick={() => void change()}>
      {of.enabled ? "on" : "off"}
    </Chip>
  );
}

const TONES: { readonly [S in ScheduleRun["status"]]: Tone } = {
  running: "neutral",
  done: "passed",
  silent: "neutral",
  failed: "denied",
  skipped: "advised",
  interrupted: "advised",
};

function Runs({ of, onClose }: { readonly of: Schedule; readonly onClose: () => void }) {
  const query = useQuery("GET /api/schedules/{id}/runs", { params: { id: of.id }, query: { limit: 50 } });
  return (
    <Dialog title="Runs" open onClose={onClose} look="wide">
      <QueryView query={query} skeleton={<Skeleton lines={6} height={32} />}>
        {({ runs }) => (
          <DataTable<ScheduleRun>
            label="Runs"
            rows={runs}
            keyOf={({ id }) => id}
            empty={<p className="quiet">No runs yet.</p>}
            columns={[
              { name: "Due", show: ({ due }) => <Time at={due} how="clock" /> },
              { name: "Status", show: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
              {
                name: "Conversation",
                show: ({ conversation }) =>
                  conversation === undefined ? null : (
                    <Id id={conversation} href={sessionHref(conversation)} short copy={false} />
                  ),
              },
              { name: "Result", show: ({ result, why }) => <Text className="said">{why ?? result ?? ""}</Text> },
            ]}
          />
        )}
      </QueryView>
    </Dialog>
  );
}

function Remove({ of, onClose }: { readonly of: Schedule; readonly onClose: () => void }) {
  const write = useWrite("DELETE /api/schedules/{id}");
  const tell = useToast();
  return (
    <Dialog title="Remove this schedule?" open onClose={onClose}>
      <p>
        “<Text>{of.say}</Text>” will no longer be sent. Its conversations stay.
      </p>
      {write.error !== undefined && <ErrorText error={write.error} />}
      <div className="row">
        <Button
          look="danger"
          busy={write.pending}
          onClick={() =>
            void write.run({ params: { id: of.id } }).then((outcome) => {
              if (!outcome.ok) return;
              tell("Schedule removed");
              onClose();
            })
          }
        >
          Remove schedule
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
