import { Section } from "../../../app/page.tsx";
import style from "../agents.module.css";
import { Choice, type FieldDesk, Line, Lines, YesNo } from "./fields.tsx";

export function Who({ desk }: { readonly desk: FieldDesk }) {
  const legacy = desk.draft.system_prompt;
  return (
    <Section title="Identity">
      <div className={style.fields}>
        <Line desk={desk} place={["identity", "name"]} label="Name" />
        <Line desk={desk} place={["identity", "vibe"]} label="Vibe" hint="Tone, such as dry or precise." />
        <Line desk={desk} place={["identity", "description"]} label="Description" />
        <Line desk={desk} place={["model"]} label="Model" hint="provider/model; default: the gateway's model" />
        <Choice desk={desk} place={["runtime"]} label="Runtime" hint="default: pi" options={["pi", "claude"]} />
      </div>
      <Lines
        desk={desk}
        place={["soul"]}
        label="Soul"
        hint="The agent's character: a text, or a path such as ./soul.md."
        rows={6}
      />
      {typeof legacy === "string" && (
        <p className={style.note}>
          <span aria-hidden="true">! </span>This definition uses the old name <code>system_prompt</code>, which becomes
          the soul.
        </p>
      )}
    </Section>
  );
}

/** Fields for session labels and memory. */
export function Knows({ desk }: { readonly desk: FieldDesk }) {
  return (
    <Section title="Memory and classification">
      <div className={style.fields}>
        <Choice
          desk={desk}
          place={["memory"]}
          label="Memory"
          hint="default: on-demand"
          options={["on-demand", "preload", "off"]}
        />
        <YesNo desk={desk} place={["sessionLabels", "enabled"]} label="Classify sessions" />
        <Line
          desk={desk}
          place={["sessionLabels", "model"]}
          label="Classifier model"
          hint="a cheap provider/model, or local/rules, which needs no model"
        />
        <Line
          desk={desk}
          place={["sessionLabels", "every"]}
          label="Classify again after"
          hint="turns; default: 10"
          isAmount
        />
        <Line
          desk={desk}
          place={["sessionLabels", "wait"]}
          label="First prompt waits"
          hint="such as 2s; by default it does not wait"
        />
      </div>
    </Section>
  );
}
