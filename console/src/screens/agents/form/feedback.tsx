import style from "../agents.module.css";
import { FEEDBACK_KINDS, type Place } from "./definition.ts";
import { type FieldDesk, Kind, kindOf, Line, Lines } from "./fields.tsx";
import { Many } from "./lists.tsx";

const KINDS = [
  ["static", "fixed text"],
  ["deadline", "time left"],
  ["tokenBudget", "tokens left"],
  ["repeatedFailure", "warning about repeated failures"],
] as const;

export function FeedbackList({ desk }: { readonly desk: FieldDesk }) {
  return (
    <Many
      desk={desk}
      place={["feedback"]}
      title="Feedback"
      one="Provider"
      empty="A feedback provider gives advice after a call, such as the time left."
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
        <Kind desk={desk} place={place} label="Type" kinds={KINDS} fresh={(next) => (next === "static" ? "" : null)} />
        <Line desk={desk} place={[...place, "name"]} label="Provider name" hint="optional" />
        {kind === "deadline" && (
          <Line desk={desk} place={[...place, "deadline", "warnAt"]} label="Warn at time left" hint="default: 2m" />
        )}
        {kind === "tokenBudget" && (
          <>
            <Line
              desk={desk}
              place={[...place, "tokenBudget", "cautionAt"]}
              label="Caution threshold"
              hint="share of the budget used; default: 0.7"
              isAmount
            />
            <Line
              desk={desk}
              place={[...place, "tokenBudget", "warnAt"]}
              label="Warning threshold"
              hint="share of the budget used; default: 0.9"
              isAmount
            />
          </>
        )}
        {kind === "repeatedFailure" && (
          <Line
            desk={desk}
            place={[...place, "repeatedFailure", "after"]}
            label="Failures in a row"
            hint="of the same call; default: 3"
            isAmount
          />
        )}
        <Line
          desk={desk}
          place={[...place, "every", "seconds"]}
          label="Every n seconds"
          hint={kind === "static" ? "set at least one of seconds, calls or file" : undefined}
          isAmount
        />
        <Line desk={desk} place={[...place, "every", "calls"]} label="Every n calls" isAmount />
        <Line desk={desk} place={[...place, "on", "fileCreated"]} label="When this file is created" hint="AGENTS.md" />
      </div>
      {kind === "static" && <Lines desk={desk} place={[...place, "static"]} label="Text" rows={2} />}
    </>
  );
}
