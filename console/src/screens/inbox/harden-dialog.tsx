import { type FormEvent, useId, useState } from "react";
import { useLocation } from "wouter";
import { useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { CodeBlock } from "../contract/code-block.tsx";
import { EndField } from "../contract/edit/fields.tsx";
import { usePreview } from "../contract/edit/use-preview.ts";
import style from "./inbox.module.css";

const WEEK = 7 * 86_400_000;

/** Turns a candidate or directive into a rule in shadow mode. The rule is shown for confirmation first. */
export function HardenDialog({
  from,
  line,
  onClose,
  onDone,
}: {
  readonly from: string;
  readonly line: string;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}) {
  const now = useNow();
  const [until, setUntil] = useState(() => new Date(Math.floor((now + WEEK) / 60_000) * 60_000).toISOString());
  const [first, setFirst] = useState("");
  const [later, setLater] = useState("");
  const body = {
    from,
    first: first.trim() || undefined,
    later: later.trim() || undefined,
    until: until || undefined,
  };
  const preview = usePreview("POST /api/rules/standing", { query: { dryRun: "true" }, body });
  const harden = useWrite("POST /api/rules/standing");
  const tell = useToast();
  const [, go] = useLocation();
  const list = useId();
  const [known, setKnown] = useState<readonly string[]>([]);
  const told = preview.error?.problem.known;
  if (Array.isArray(told) && told.join() !== known.join()) setKnown(told.map(String));
  const rule = preview.value?.rule;
  const error = harden.error ?? preview.error;
  async function run(event: FormEvent) {
    event.preventDefault();
    const outcome = await harden.run({ body });
    if (!outcome.ok) return;
    const id = String(outcome.value.rule.id);
    tell(`The rule ${id} is in shadow mode and blocks nothing yet`, {
      tone: "passed",
      action: { label: "Open rule", run: () => go(`/rules?rule=${encodeURIComponent(id)}`) },
    });
    onDone?.();
    onClose();
  }
  return (
    <Dialog title="Create rule in shadow mode" open onClose={onClose}>
      <form className="stack" onSubmit={(event) => void run(event)}>
        <p>
          <Text>{line}</Text>
        </p>
        <p className="quiet">
          A directive asks; a rule decides on calls. In shadow mode the rule only records what it would have blocked.
          Enforce it on the Rules page once it looks right.
        </p>
        {rule !== undefined ? (
          <CodeBlock label="Rule text">{String(rule.text).trimEnd()}</CodeBlock>
        ) : error === undefined ? (
          <Skeleton lines={5} />
        ) : null}
        <div role="status">{error !== undefined && <ErrorText error={error} />}</div>
        {known.length > 0 && (
          <div className={style.pair}>
            <TextField
              label="Required first"
              list={list}
              value={first}
              onChange={({ target: { value } }) => setFirst(value)}
            />
            <TextField
              label="Allowed afterwards"
              list={list}
              value={later}
              onChange={({ target: { value } }) => setLater(value)}
            />
            <datalist id={list}>
              {known.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </div>
        )}
        <EndField label="End of shadow mode" none="when I decide" first="in a week" value={until} onChange={setUntil} />
        {until !== "" && (
          <p className="quiet small">
            After that (<Time at={until} how="clock" />) the digest asks you to decide. The rule is never enforced
            automatically.
          </p>
        )}
        <div className="row">
          <Button type="submit" look="main" busy={harden.pending} disabled={rule === undefined || preview.asking}>
            Create rule
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
