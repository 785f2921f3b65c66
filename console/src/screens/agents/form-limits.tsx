import { Section } from "../../app/page.tsx";
import { Select } from "../../ui/field.tsx";
import style from "./agents.module.css";
import { type FieldDesk, Line, Words } from "./form-fields.tsx";

const LIMITS: readonly (readonly [key: string, label: string, hint: string])[] = [
  ["tokens", "Tokens", "of a session"],
  ["inputTokens", "Input tokens", ""],
  ["outputTokens", "Output tokens", ""],
  ["calls", "Calls", ""],
  ["cost", "Cost", "in dollars"],
  ["time", "Time", "30m"],
  ["deadline", "Deadline", "from the start; the agent is told"],
  ["window", "Window", "of the model, in tokens"],
  ["toolResultShare", "Share of one result", "of the window: 0.3"],
  ["turnResultShare", "Share of a turn's results", "of the window"],
  ["stops", "Refused stops", "in one turn"],
  ["gather", "Time to look things up", "2s"],
  ["check", "Time of one policy", "1s"],
  ["completion", "Time of the completion check", "60s"],
];

/** When it is done, and how much it may use. */
export function Limits({ desk }: { readonly desk: FieldDesk }) {
  const command = desk.read(["completion", "command"]);
  const isLong = typeof command === "object" && command !== null;
  const any = desk.read(["completion", "any"]) === true;
  return (
    <>
      <Section title="Completion">
        <p className="quiet">What must be true before it may stop.</p>
        <div className={style.fields}>
          <Words desk={desk} place={["completion", "files"]} label="Files that must exist" hint="report.md" />
          <Words desk={desk} place={["completion", "evidence"]} label="Must have succeeded" hint="actions or tools" />
          <Line
            desk={desk}
            place={isLong ? ["completion", "command", "run"] : ["completion", "command"]}
            label="A command that must exit with 0"
          />
          {isLong && (
            <Line desk={desk} place={["completion", "command", "timeout"]} label="Time of the command" hint="2m" />
          )}
          <Select
            label="How many of these"
            value={any ? "any" : "all"}
            error={desk.error(["completion", "any"])}
            onChange={(event) => desk.put(["completion", "any"], event.target.value === "any" ? true : undefined)}
          >
            <option value="all">all of them</option>
            <option value="any">one is enough</option>
          </Select>
        </div>
      </Section>
      <Section title="Limits">
        <div className={style.limits}>
          {LIMITS.map(([key, label, hint]) => (
            <Line
              key={key}
              desk={desk}
              place={["limits", key]}
              label={label}
              {...(hint === "" ? {} : { hint })}
              isAmount
            />
          ))}
        </div>
      </Section>
    </>
  );
}
