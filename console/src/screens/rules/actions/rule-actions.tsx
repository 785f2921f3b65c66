import { useState } from "react";
import { useWrite } from "../../../data/use-query.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Select, TextField } from "../../../ui/field.tsx";
import { useToast } from "../../../ui/toast.tsx";
import type { RuleShown } from "../rule-kinds.ts";
import { DialogFoot } from "./dialog-foot.tsx";
import { FaultList } from "./fault-list.tsx";

type Asking = "shadow" | "enforce" | "exempt";
const EFFECTS = ["deny", "ask", "warn", "remind"] as const;

/** Actions of an operator on a rule of an agent. Each one is saved as a version of the agent's definition. */
export function RuleActions({ rule }: { readonly rule: RuleShown }) {
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  return (
    <span className="row">
      {rule.status === "shadow" ? (
        <Button onClick={() => setAsking("enforce")}>Enforce…</Button>
      ) : (
        <Button onClick={() => setAsking("shadow")}>Use shadow mode…</Button>
      )}
      <Button onClick={() => setAsking("exempt")}>Exempt calls…</Button>
      {asking !== undefined && <EditDialog rule={rule} asking={asking} onClose={() => setAsking(undefined)} />}
    </span>
  );
}

const TITLES = {
  shadow: "Put this rule into shadow mode?",
  enforce: "Enforce this rule?",
  exempt: "Exempt calls from this rule",
} as const;
const LABELS = { shadow: "Use shadow mode", enforce: "Enforce rule", exempt: "Exempt calls" } as const;

function EditDialog({
  rule,
  asking,
  onClose,
}: {
  readonly rule: RuleShown;
  readonly asking: Asking;
  readonly onClose: () => void;
}) {
  const write = useWrite("POST /api/rules/edit");
  const tell = useToast();
  const { agents = [] } = rule;
  const [agent, setAgent] = useState(agents[0] ?? "");
  const [effect, setEffect] = useState<(typeof EFFECTS)[number]>("deny");
  const [when, setWhen] = useState("");
  const [reason, setReason] = useState("");
  const edit =
    asking === "exempt"
      ? ({ kind: asking, when } as const)
      : asking === "enforce" && rule.kind === "agent"
        ? ({ kind: asking, effect } as const)
        : ({ kind: asking } as const);
  return (
    <Dialog title={TITLES[asking]} open onClose={onClose}>
      <p>
        {asking === "shadow" && "The rule blocks nothing and records what it would have blocked."}
        {asking === "enforce" && "The rule takes effect at the next turn of every session."}
        {asking === "exempt" && "The rule ignores calls for which this CEL expression is true."}
      </p>
      {agents.length > 1 && (
        <Select label="For the agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
      {asking === "enforce" && rule.kind === "agent" && (
        <Select
          label="Effect"
          value={effect}
          onChange={(event) => setEffect(EFFECTS.find((one) => one === event.target.value) ?? "deny")}
        >
          {EFFECTS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
      {asking === "exempt" && (
        <TextField
          label="Calls to exempt"
          hint='For example: args.path.startsWith("tmp/")'
          className="mono"
          value={when}
          maxLength={2_000}
          onChange={(event) => setWhen(event.target.value)}
        />
      )}
      <TextField
        label="Reason"
        hint="Saved with the version, under your name. The agent’s history can undo it."
        value={reason}
        maxLength={500}
        onChange={(event) => setReason(event.target.value)}
      />
      <FaultList error={write.error} />
      <DialogFoot
        error={write.error}
        pending={write.pending}
        disabled={reason.trim() === "" || (asking === "exempt" && when.trim() === "")}
        label={LABELS[asking]}
        onClose={onClose}
        run={async () => {
          const outcome = await write.run({ body: { agent, rule: rule.id, edit, reason: reason.trim() } });
          if (!outcome.ok) return;
          tell(`Version ${outcome.value.version} of ${agent} is in force from the next turn`, { tone: "passed" });
          onClose();
        }}
      />
    </Dialog>
  );
}
