import style from "./agents.module.css";
import { FEEDBACK_KINDS, type Place } from "./definition.ts";
import { type FieldDesk, Kind, kindOf, Line, Lines } from "./form-fields.tsx";
import { Many } from "./form-lists.tsx";

const KINDS = [
  ["static", "says always the same"],
  ["deadline", "tells the time that is left"],
  ["tokenBudget", "tells the tokens that are left"],
  ["repeatedFailure", "speaks up when calls fail again and again"],
] as const;

/** Advice after a call. */
export function FeedbackList({ desk }: { readonly desk: FieldDesk }) {
  return (
    <Many
      desk={desk}
      place={["feedback"]}
      title="Feedback"
      one="Provider"
      empty="A provider of feedback advises after a call: how much time is left, what a new file means."
      fresh={{ static: "" }}
    >
      {(at) => <FeedbackFields desk={desk} place={at} />}
    </Many>
  );
}

function FeedbackFields({ desk, place }: { readonly desk: FieldDesk; readonly place: Place }) {
  const kind = kindOf(desk.read(place), FEEDBACK_KINDS);
  return (
    <>
      <div className={style.fields}>
        <Kind
          desk={desk}
          place={place}
          label="What it does"
          kinds={KINDS}
          fresh={(next) => (next === "static" ? "" : null)}
        />
        <Line desk={desk} place={[...place, "name"]} label="Name of the provider" hint="optional" />
        {kind === "deadline" && (
          <Line desk={desk} place={[...place, "deadline", "warnAt"]} label="Warns when left" hint="2m unless set" />
        )}
        {kind === "tokenBudget" && (
          <>
            <Line
              desk={desk}
              place={[...place, "tokenBudget", "cautionAt"]}
              label="Cautions at the share"
              hint="of the budget used: 0.7 unless set"
              isAmount
            />
            <Line
              desk={desk}
              place={[...place, "tokenBudget", "warnAt"]}
              label="Warns at the share"
              hint="of the budget used: 0.9 unless set"
              isAmount
            />
          </>
        )}
        {kind === "repeatedFailure" && (
          <Line
            desk={desk}
            place={[...place, "repeatedFailure", "after"]}
            label="After so many failures"
            hint="of the same call; 3 unless set"
            isAmount
          />
        )}
        <Line
          desk={desk}
          place={[...place, "every", "seconds"]}
          label="Every so many seconds"
          {...(kind === "static" ? { hint: "it must say when: this, calls, or a file" } : {})}
          isAmount
        />
        <Line desk={desk} place={[...place, "every", "calls"]} label="Every so many calls" isAmount />
        <Line desk={desk} place={[...place, "on", "fileCreated"]} label="When this file appears" hint="AGENTS.md" />
      </div>
      {kind === "static" && <Lines desk={desk} place={[...place, "static"]} label="What it says" rows={2} />}
    </>
  );
}
