import { useState } from "react";
import { useWrite } from "../../../data/use-query.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Select, TextField } from "../../../ui/field.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { SPANS, type Standing, untilOf } from "../standing.ts";
import { DialogFoot } from "./dialog-foot.tsx";

type Asking = "enforce" | "shadow" | "remove";

/** Actions of an operator on a standing rule. Each one shows its effect and asks for confirmation. */
export function StandingActions({ rule, onRemoved }: { readonly rule: Standing; readonly onRemoved?: () => void }) {
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const close = () => setAsking(undefined);
  return (
    <span className="row">
      {rule.status === "shadow" && <Button onClick={() => setAsking("enforce")}>Enforce…</Button>}
      <Button onClick={() => setAsking("shadow")}>
        {rule.status === "shadow" ? "Shadow for…" : "Back to shadow mode…"}
      </Button>
      <Button look="danger" onClick={() => setAsking("remove")}>
        Remove…
      </Button>
      {asking === "enforce" && <EnforceDialog rule={rule} onClose={close} />}
      {asking === "shadow" && <ShadowDialog rule={rule} onClose={close} />}
      {asking === "remove" && (
        <RemoveDialog
          rule={rule}
          onClose={() => {
            close();
          }}
          onDone={() => {
            close();
            onRemoved?.();
          }}
        />
      )}
    </span>
  );
}

type About = { readonly rule: Standing; readonly onClose: () => void };

function EnforceDialog({ rule, onClose }: About) {
  const write = useWrite("POST /api/rules/standing/{id}/enforce");
  const tell = useToast();
  const { wouldHaveBlocked, sessions } = rule.count;
  return (
    <Dialog title="Enforce this rule?" open onClose={onClose}>
      <p>
        <Text className="mono">{rule.id}</Text> takes effect at the next turn of every session in its scope,{" "}
        <Text className="mono">{rule.scope}</Text>. In shadow mode it would have blocked {wouldHaveBlocked}{" "}
        {wouldHaveBlocked === 1 ? "call" : "calls"} in {sessions} {sessions === 1 ? "session" : "sessions"}.
      </p>
      <DialogFoot
        error={write.error}
        pending={write.pending}
        label="Enforce rule"
        onClose={onClose}
        run={async () => {
          const outcome = await write.run({ params: { id: rule.id } });
          if (!outcome.ok) return;
          tell(`${rule.id} is enforced from the next turn`, { tone: "passed" });
          onClose();
        }}
      />
    </Dialog>
  );
}

function ShadowDialog({ rule, onClose }: About) {
  const write = useWrite("POST /api/rules/standing/{id}/shadow");
  const tell = useToast();
  const [span, setSpan] = useState<string>(SPANS[0].name);
  return (
    <Dialog title="Put this rule into shadow mode?" open onClose={onClose}>
      <p>
        <Text className="mono">{rule.id}</Text> blocks nothing and counts what it would have blocked.
      </p>
      <Select
        label="Duration"
        hint="The review reminds you when the time is over. The rule is never enforced automatically."
        value={span}
        onChange={(event) => setSpan(event.target.value)}
      >
        {SPANS.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <DialogFoot
        error={write.error}
        pending={write.pending}
        label="Use shadow mode"
        onClose={onClose}
        run={async () => {
          const outcome = await write.run({ params: { id: rule.id }, body: untilOf(span) });
          if (!outcome.ok) return;
          tell(`${rule.id} is in shadow mode`, { tone: "advised" });
          onClose();
        }}
      />
    </Dialog>
  );
}

function RemoveDialog({ rule, onClose, onDone }: About & { readonly onDone: () => void }) {
  const write = useWrite("DELETE /api/rules/standing/{id}");
  const tell = useToast();
  const [reason, setReason] = useState("");
  return (
    <Dialog title="Remove this rule?" open onClose={onClose}>
      <p>
        <Text className="mono">{rule.id}</Text> no longer blocks or counts calls. The history keeps the rule, and who
        removed it.
      </p>
      <TextField
        label="Reason (optional)"
        value={reason}
        maxLength={500}
        onChange={(event) => setReason(event.target.value)}
      />
      <DialogFoot
        error={write.error}
        pending={write.pending}
        label="Remove rule"
        look="danger"
        onClose={onClose}
        run={async () => {
          const outcome = await write.run({
            params: { id: rule.id },
            query: reason.trim() === "" ? {} : { reason: reason.trim() },
          });
          if (!outcome.ok) return;
          tell(`${rule.id} was removed`);
          onDone();
        }}
      />
    </Dialog>
  );
}
