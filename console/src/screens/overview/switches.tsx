import { useState } from "react";
import { Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { ErrorText } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time, Until } from "../../ui/time.tsx";

const TIMES = ["10m", "1h", "8h", "24h"];
const MOST = 5;

type Found = Answer<"GET /api/switches">;

/** Shows pauses, missing hooks and noticed tampering on this machine. Renders nothing if there are none. */
export function Switches() {
  const query = useQuery("GET /api/switches");
  if (query.state !== "ready") return null;
  const { paused, forgedPause, runtimes, noticed } = query.data;
  const missing = runtimes.filter((one) => one.missing.length > 0);
  if (paused === null && forgedPause === undefined && missing.length === 0 && noticed.length === 0) return null;
  return (
    <Section title="Enforcement">
      <ul aria-label="Enforcement">
        {paused !== null && <Paused paused={paused} />}
        {forgedPause !== undefined && (
          <li>
            <Badge tone="denied">forged pause</Badge> Conduct did not write the pause file, so it has no effect:{" "}
            <Text>{forgedPause}</Text>.
          </li>
        )}
        {missing.map(({ runtime, missing: [first] }) => (
          <li key={runtime}>
            <Badge tone="denied">hooks are missing</Badge> <Text>{runtime}</Text>: <Text>{first?.why ?? ""}</Text> in{" "}
            <Text className="mono">{first?.path ?? ""}</Text>. To restore them, run{" "}
            <Text className="mono">{`conduct init ${runtime}`}</Text>.
          </li>
        ))}
        {noticed.slice(0, MOST).map(({ at, kind, message }) => (
          <li key={`${at} ${kind}`}>
            <Badge tone="advised">warning</Badge> <Time at={at} /> <Text>{message}</Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Paused({ paused }: { readonly paused: NonNullable<Found["paused"]> }) {
  const resume = useWrite("DELETE /api/switches/pause");
  const isOperator = useIsOperator();
  return (
    <li>
      <Badge tone="advised">paused</Badge> Nothing is enforced <Until at={paused.until} />. Paused by{" "}
      <Text>{paused.by}</Text> (<Text>{paused.proof}</Text>).{" "}
      {isOperator && (
        <Button disabled={resume.pending} onClick={() => void resume.run()}>
          Resume enforcement
        </Button>
      )}
      {resume.error !== undefined && <ErrorText error={resume.error} />}
    </li>
  );
}

/** Shown to operators while nothing is paused. */
export function PauseButton() {
  const query = useQuery("GET /api/switches");
  const isOperator = useIsOperator();
  const [open, setOpen] = useState(false);
  if (!isOperator || query.state !== "ready" || query.data.paused !== null) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Pause enforcement</Button>
      {open && <PauseDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function PauseDialog({ onClose }: { readonly onClose: () => void }) {
  const [time, setTime] = useState("10m");
  const pause = useWrite("POST /api/switches/pause");
  return (
    <Dialog title="Pause enforcement?" open onClose={onClose}>
      <p>
        Nothing is enforced during the pause, here and in every coding runtime of this account. Everything is still
        recorded.
      </p>
      <Select label="Duration" value={time} onChange={(event) => setTime(event.target.value)}>
        {TIMES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      {pause.error !== undefined && <ErrorText error={pause.error} />}
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          disabled={pause.pending}
          onClick={async () => {
            const outcome = await pause.run({ body: { time } });
            if (outcome.ok) onClose();
          }}
        >
          Pause enforcement
        </Button>
      </div>
    </Dialog>
  );
}
