import { Link } from "wouter";
import { Section } from "../../../app/page.tsx";
import { RuleLink } from "../../../moments/moment-details.tsx";
import { TextArea } from "../../../ui/field.tsx";
import { editHref } from "../../rules/standing.ts";
import style from "../agents.module.css";
import { type Place, POLICY_KINDS } from "./definition.ts";
import { Choice, type FieldDesk, Kind, kindOf, Line, Words, Written, YesNo } from "./fields.tsx";
import { Many } from "./lists.tsx";
import { orderOf, orderText } from "./text-forms.ts";

export const FRESH_POLICY = { readBeforeWrite: null };

/** Fields for policies, rules and elevation. */
export function Guards({ desk }: { readonly desk: FieldDesk }) {
  return (
    <>
      <Many
        desk={desk}
        place={["policies"]}
        title="Policies"
        one="Policy"
        empty="A policy decides on every call, for example: read a file before overwriting it."
        fresh={FRESH_POLICY}
      >
        {(at) => <PolicyFields desk={desk} place={at} />}
      </Many>
      <Rules desk={desk} />
      <Section title="Elevation">
        <div className={style.fields}>
          <Choice
            desk={desk}
            place={["elevation"]}
            label="Elevated sessions"
            hint="“never” forbids elevation in every session"
            options={["never"]}
          />
        </div>
      </Section>
    </>
  );
}

const KINDS = [
  ["readBeforeWrite", "read a file before it is overwritten"],
  ["sequential", "calls that require other calls first"],
] as const;

export function PolicyFields({ desk, place }: { readonly desk: FieldDesk; readonly place: Place }) {
  const kind = kindOf(desk.read(place), POLICY_KINDS);
  return (
    <>
      <div className={style.fields}>
        <Kind
          desk={desk}
          place={place}
          label="Type"
          kinds={KINDS}
          fresh={(next) => (next === "sequential" ? {} : null)}
        />
        <Line desk={desk} place={[...place, "name"]} label="Name in denials" hint="optional" />
        {kind === "readBeforeWrite" && (
          <>
            <Words
              desk={desk}
              place={[...place, "readBeforeWrite", "readTools"]}
              label="Tools that read"
              hint="default: read_file"
            />
            <Words
              desk={desk}
              place={[...place, "readBeforeWrite", "writeTools"]}
              label="Tools that write"
              hint="default: write_file, edit_file"
            />
            <YesNo
              desk={desk}
              place={[...place, "readBeforeWrite", "rearmOnCompaction"]}
              label="Read again after compaction"
              hint="default: yes"
            />
          </>
        )}
        {kind === "sequential" && (
          <YesNo
            desk={desk}
            place={[...place, "rearmOnCompaction"]}
            label="Prove again after compaction"
            hint="default: no"
          />
        )}
      </div>
      {kind === "sequential" && (
        <Written
          desk={desk}
          place={[...place, "sequential"]}
          label="Requirements, one per line"
          hint="deploy: test, build"
          show={orderText}
          read={orderOf}
          long
        />
      )}
    </>
  );
}

function Rules({ desk }: { readonly desk: FieldDesk }) {
  const value = desk.read(["rules"]);
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const own = all.filter((one) => typeof one !== "string");
  const files = all.filter((one) => typeof one === "string");
  return (
    <Section title="Rules" actions={<Link href={editHref({ agent: desk.name })}>Edit rules…</Link>}>
      <TextArea
        label="Rule files and packs, one per line"
        hint="Built in: packs/coding, packs/ops and packs/support-desk. Other paths are relative to conduct.yaml."
        error={desk.error(["rules"])}
        rows={Math.max(2, files.length + 1)}
        value={files.join("\n")}
        onChange={(event) => desk.put(["rules"], [...event.target.value.split("\n"), ...own])}
      />
      <p className="row">
        <span className="quiet">Own rules:</span>
        {own.length === 0 ? (
          <span className="quiet">none</span>
        ) : (
          own.map((one) => {
            const id = idText(one);
            return <RuleLink key={id} rule={id} />;
          })
        )}
      </p>
    </Section>
  );
}

function idText(rule: unknown): string {
  const { id, toolName } = rule as { readonly id?: unknown; readonly toolName?: unknown };
  return typeof id === "string" ? id : `${String(toolName)}-prerequisites`;
}
