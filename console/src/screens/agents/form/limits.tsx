import { Section } from "../../../app/page.tsx";
import { Select } from "../../../ui/field.tsx";
import style from "../agents.module.css";
import { type FieldDesk, Line, Words } from "./fields.tsx";

const LIMITS: readonly (readonly [key: string, label: string, hint: string])[] = [
  ["tokens", "Tokens", "per session"],
  ["inputTokens", "Input tokens", ""],
  ["outputTokens", "Output tokens", ""],
  ["calls", "Calls", ""],
  ["cost", "Cost", "in dollars"],
  ["time", "Time", "30m"],
  ["deadline", "Deadline", "from the start of the session; shown to the agent"],
  ["window", "Context window", "in tokens"],
  ["toolResultShare", "Share of one result", "of the window, such as 0.3"],
  ["turnResultShare", "Share of a turn's results", "of the window"],
  ["stops", "Refused stops", "per turn"],
  ["gather", "Gather timeout", "2s"],
  ["check", "Policy timeout", "1s"],
  ["completion", "Completion check timeout", "60s"],
];

/** Fields for completion and limits. */
export function Limits({ desk }: { readonly desk: FieldDesk }) {
  const command = desk.read(["completion", "command"]);
  const isLong = typeof command === "object" && command !== null;
  const any = desk.read(["completion", "any"]) === true;
  return (
    <>
      <Section title="Completion">
        <p className="quiet">Conditions that must hold before the agent may stop.</p>
        <div className={style.fields}>
          <Words desk={desk} place={["completion", "files"]} label="Required files" hint="report.md" />
          <Words desk={desk} place={["completion", "evidence"]} label="Required successes" hint="actions or tools" />
          <Line
            desk={desk}
            place={isLong ? ["completion", "command", "run"] : ["completion", "command"]}
            label="Command that must exit with 0"
          />
          {isLong && (
            <Line desk={desk} place={["completion", "command", "timeout"]} label="Command timeout" hint="2m" />
          )}
          <Select
            label="Required conditions"
            value={any ? "any" : "all"}
            error={desk.error(["completion", "any"])}
            onChange={(event) => desk.put(["completion", "any"], event.target.value === "any" ? true : undefined)}
          >
            <option value="all">all</option>
            <option value="any">at least one</option>
          </Select>
        </div>
      </Section>
      <Section title="Limits">
        <div className={style.limits}>
          {LIMITS.map(([key, label, hint]) => (
            <Line key={key} desk={desk} place={["limits", key]} label={label} hint={hint || undefined} isAmount />
          ))}
        </div>
      </Section>
    </>
  );
}
