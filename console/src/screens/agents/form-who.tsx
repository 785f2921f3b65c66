import { Section } from "../../app/page.tsx";
import style from "./agents.module.css";
import { Choice, type FieldDesk, Line, Lines, YesNo } from "./form-fields.tsx";

export function Who({ desk }: { readonly desk: FieldDesk }) {
  const legacy = desk.draft.system_prompt;
  return (
    <Section title="Who it is">
      <div className={style.fields}>
        <Line desk={desk} place={["identity", "name"]} label="Name" />
        <Line desk={desk} place={["identity", "vibe"]} label="Vibe" hint="How it comes across: dry, precise." />
        <Line desk={desk} place={["identity", "description"]} label="Description" />
        <Line desk={desk} place={["model"]} label="Model" hint="provider/model; the gateway's own unless set" />
        <Choice desk={desk} place={["runtime"]} label="Runtime" hint="pi unless set" options={["pi", "claude"]} />
      </div>
      <Lines
        desk={desk}
        place={["soul"]}
        label="Soul"
        hint="What it is at heart: a text, or the path of one (./soul.md)."
        rows={6}
      />
      {typeof legacy === "string" && (
        <p className={style.note}>
          <span aria-hidden="true">! </span>This definition has <code>system_prompt</code>, an older name: it is taken
          as the soul.
        </p>
      )}
    </Section>
  );
}

/** How sessions are classified, and how it remembers. */
export function Knows({ desk }: { readonly desk: FieldDesk }) {
  return (
    <Section title="Memory and classes">
      <div className={style.fields}>
        <Choice
          desk={desk}
          place={["memory"]}
          label="Memory"
          hint="on-demand unless set"
          options={["on-demand", "preload", "off"]}
        />
        <YesNo desk={desk} place={["sessionLabels", "enabled"]} label="Classify sessions" />
        <Line
          desk={desk}
          place={["sessionLabels", "model"]}
          label="By the model"
          hint="a cheap provider/model; local/rules needs none"
        />
        <Line desk={desk} place={["sessionLabels", "every"]} label="Again after turns" hint="10 unless set" isAmount />
        <Line
          desk={desk}
          place={["sessionLabels", "wait"]}
          label="The first prompt waits"
          hint="2s; not at all unless set"
        />
      </div>
    </Section>
  );
}
