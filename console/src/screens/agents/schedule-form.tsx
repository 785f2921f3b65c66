import { useState } from "react";
import type { GatewayError } from "../../data/client.ts";
import { useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ErrorText } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { useToast } from "../../ui/toast.tsx";
import style from "./agents.module.css";
import type { Schedule } from "./schedules.tsx";

/** Creates a schedule for the current user, or edits an existing one. */
export function ScheduleForm({
  agent,
  schedule,
  onClose,
}: {
  readonly agent: string;
  readonly schedule?: Schedule;
  readonly onClose: () => void;
}) {
  const add = useWrite("POST /api/schedules");
  const change = useWrite("PATCH /api/schedules/{id}");
  const tell = useToast();
  const [say, setSay] = useState(schedule?.say ?? "");
  const [cron, setCron] = useState(schedule?.cron ?? "0 8 * * 1-5");
  const [zone, setZone] = useState(schedule?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [chat, setChat] = useState(schedule?.deliver?.address ?? "");
  const write = schedule === undefined ? add : change;
  const at = fieldOf(write.error);
  const save = async () => {
    const deliver = chat.trim() === "" ? {} : { deliver: { channel: "telegram", address: chat.trim() } };
    const fields = { say: say.trim(), cron: cron.trim(), zone: zone.trim(), ...deliver };
    const outcome =
      schedule === undefined
        ? await add.run({ body: { agent, ...fields } })
        : await change.run({ params: { id: schedule.id }, body: fields });
    if (!outcome.ok) return;
    tell(schedule === undefined ? "Schedule created" : "Schedule saved", { tone: "passed" });
    onClose();
  };
  const error = (field: string) =>
    at === field && write.error !== undefined ? <Text>{write.error.message}</Text> : undefined;
  return (
    <Dialog title={schedule === undefined ? "New schedule" : "Edit schedule"} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextArea
          label="Message"
          hint="Sent to the agent in your name."
          required
          maxLength={10_000}
          value={say}
          error={error("say")}
          onChange={(event) => setSay(event.target.value)}
        />
        <div className={style.fields}>
          <TextField
            label="Cron"
            hint="minute hour day month weekday"
            required
            value={cron}
            error={error("cron")}
            onChange={(event) => setCron(event.target.value)}
          />
          <TextField
            label="Time zone"
            hint="Europe/London"
            required
            value={zone}
            error={error("zone")}
            onChange={(event) => setZone(event.target.value)}
          />
          <TextField
            label="Telegram chat (optional)"
            hint="The reply is sent to this chat. Without one, it is only saved."
            value={chat}
            error={error("deliver")}
            onChange={(event) => setChat(event.target.value)}
          />
        </div>
        {write.error !== undefined && at === undefined && <ErrorText error={write.error} />}
        <div className="row">
          <Button type="submit" look="main" busy={write.pending} disabled={say.trim() === ""}>
            {schedule === undefined ? "Create schedule" : "Save schedule"}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the field that the error is about. */
function fieldOf(error: GatewayError | undefined): "cron" | "zone" | "deliver" | undefined {
  if (error?.code !== "SCHEDULE_INVALID") return undefined;
  if (error.message.includes("time zone")) return "zone";
  if (error.message.includes("deliver")) return "deliver";
  return error.message.includes("cron") ? "cron" : undefined;
}
