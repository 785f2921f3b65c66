import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useHotkeys } from "../../../app/hotkeys.tsx";
import type { Answer } from "../../../data/client.ts";
import { useDraft } from "../../../data/drafts.ts";
import { useStore } from "../../../data/store.tsx";
import { roomOf } from "../../../data/touched.ts";
import { useQuery, useWrite } from "../../../data/use-query.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { ErrorText } from "../../../ui/states.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { agentHref } from "../agent-list.tsx";
import style from "../agents.module.css";
import {
  type Definition,
  faultsAt,
  faultsOfWhole,
  otherFaults,
  type Place,
  toSave,
  valueAt,
  withValue,
} from "./definition.ts";
import { type Fault, faultsOf } from "./faults.ts";
import { FeedbackList } from "./feedback.tsx";
import type { FieldDesk } from "./fields.tsx";
import { Knows, Who } from "./identity.tsx";
import { Limits } from "./limits.tsx";
import { Rest } from "./other-settings.tsx";
import { Guards } from "./policies.tsx";
import { Told } from "./prompt.tsx";
import { Tools } from "./tools.tsx";

/** Parts in display order; each is a link target. */
const PARTS: readonly {
  readonly id: string;
  readonly label: string;
  readonly show: (props: { readonly desk: FieldDesk }) => ReactNode;
}[] = [
  { id: "who", label: "identity", show: Who },
  { id: "told", label: "prompt", show: Told },
  { id: "tools", label: "tools", show: Tools },
  { id: "guards", label: "policies", show: Guards },
  { id: "feedback", label: "feedback", show: FeedbackList },
  { id: "limits", label: "completion and limits", show: Limits },
  { id: "knows", label: "memory", show: Knows },
];

/** Edits a definition as fields. Unsaved edits stay, even if somebody else saves meanwhile. */
export function DefinitionForm({
  name,
  given,
}: {
  readonly name: string;
  readonly given: Answer<"GET /api/agents/{name}">;
}) {
  const [base, setBase] = useState({ version: given.version, definition: (given.definition ?? {}) as Definition });
  const [draft, setDraft, sentDraft] = useDraft<Definition>(`agent ${name} ${given.version}`, () => base.definition);
  const [brokenRest, setBrokenRest] = useState(false);
  const [reason, setReason] = useState("");
  const [note, setNote] = useState<string | undefined>(undefined);
  const write = useWrite("PUT /api/agents/{name}");
  const tell = useToast();
  const { cache } = useStore();
  const faults = faultsOf(write.error);
  const dirty = JSON.stringify(toSave(draft)) !== JSON.stringify(toSave(base.definition));
  // Right after a save, the loaded definition is older than the saved one.
  const moved = given.version > base.version;
  const take = () => {
    setBase({ version: given.version, definition: (given.definition ?? {}) as Definition });
    setDraft((given.definition ?? {}) as Definition);
    write.reset();
  };
  // Without edits here, show the newer version at once.
  if (moved && !dirty) take();
  const save = async (after: number) => {
    const definition = toSave(draft);
    const outcome = await write.run({ params: { name }, body: { definition, after, reason: reason.trim() } });
    if (!outcome.ok) {
      // The other person's version is not loaded yet.
      if (outcome.error.code === "MOVED") cache.invalidate((route) => roomOf(route) === "agents");
      return;
    }
    sentDraft();
    setBase({ version: outcome.value.version, definition });
    setReason("");
    setNote(outcome.value.note);
    tell(`Version ${outcome.value.version} is in force from the next turn`, { tone: "passed" });
  };
  const canSave = dirty && !brokenRest && reason.trim() !== "" && !moved && !write.pending;
  useHotkeys([{ keys: "mod+s", does: "Save definition", run: () => void (canSave && save(base.version)) }]);
  const desk: FieldDesk = {
    name,
    draft,
    read: (place: Place) => valueAt(draft, place),
    put: (place: Place, value: unknown) => setDraft((now) => withValue(now, place, value) as Definition),
    error: (place: Place) => said(faultsAt(faults, name, place)),
    errorOfWhole: (place: Place) => said(faultsOfWhole(faults, name, place)),
    forgetFaults: write.reset,
  };
  const others = otherFaults(faults, name);
  return (
    <form
      className={style.form}
      aria-label={`Definition of ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) void save(base.version);
      }}
    >
      {moved && dirty && (
        <Moved
          name={name}
          base={base.version}
          newest={given.version}
          onTake={take}
          onOver={() => void save(given.version)}
          canOver={reason.trim() !== "" && !brokenRest}
        />
      )}
      {note !== undefined && (
        <p className={style.note} role="status">
          <span aria-hidden="true">! </span>
          <Text>{note}</Text>
        </p>
      )}
      <nav className={style.parts} aria-label="Parts of the definition">
        {PARTS.map(({ id, label }) => (
          <a key={id} href={`#${id}`}>
            {label}
          </a>
        ))}
      </nav>
      {PARTS.map(({ id, show: Part }) => (
        <div key={id} id={id} className={style.part}>
          <Part desk={desk} />
        </div>
      ))}
      <Rest
        desk={desk}
        faults={others}
        onBroken={setBrokenRest}
        onChange={(rest) => setDraft((now) => rest(now))}
        version={base.version}
      />
      <div className={style.bar}>
        <div className="grow">
          <TextField
            label="Reason"
            placeholder="Why you are making this change"
            hideLabel
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        <Button type="submit" look="main" busy={write.pending} disabled={!canSave}>
          Save version {base.version + 1}
        </Button>
        <Button disabled={!dirty} onClick={() => setDraft(base.definition)}>
          Discard changes
        </Button>
        <p className="quiet small" role="status">
          {write.error !== undefined && faults.length > 0
            ? `${faults.length} ${faults.length === 1 ? "fault" : "faults"}, shown at their fields.`
            : moved
              ? "Somebody else saved a newer version."
              : !dirty
                ? `Version ${base.version} is in force. You have no unsaved changes.`
                : brokenRest
                  ? "The JSON below is invalid."
                  : reason.trim() === ""
                    ? "Enter a reason to save."
                    : "Takes effect at the next turn of every session."}
        </p>
        {write.error !== undefined && faults.length === 0 && write.error.code !== "MOVED" && (
          <ErrorText error={write.error} />
        )}
      </div>
    </form>
  );
}

function said(faults: readonly Fault[]): ReactNode {
  if (faults.length === 0) return undefined;
  return (
    <Text>{faults.map(({ message, hint }) => (hint === undefined ? message : `${message} → ${hint}`)).join("\n")}</Text>
  );
}

/** Shown after a conflicting save, so that nobody overwrites a change they have not seen. */
function Moved({
  name,
  base,
  newest,
  onTake,
  onOver,
  canOver,
}: {
  readonly name: string;
  readonly base: number;
  readonly newest: number;
  readonly onTake: () => void;
  readonly onOver: () => void;
  readonly canOver: boolean;
}) {
  const query = useQuery("GET /api/agents/{name}/versions", { params: { name } });
  const found = query.state === "ready" ? query.data.versions.find(({ version }) => version === newest) : undefined;
  return (
    <div className={style.note} role="alert">
      <p>
        <span aria-hidden="true">! </span>Version {newest} was saved in the meantime
        {found !== undefined && (
          <>
            {" "}
            by <Text>{found.by}</Text>: <Text>{found.reason}</Text>
          </>
        )}
        . Your changes are still here.
      </p>
      <p className="row">
        <Link href={`${agentHref(name, "versions")}&from=${base}&to=${newest}`}>See what changed</Link>
        <Button onClick={onTake}>Use version {newest}, discard my changes</Button>
        <Button look="danger" disabled={!canOver} onClick={onOver}>
          Save my changes over it
        </Button>
      </p>
    </div>
  );
}
