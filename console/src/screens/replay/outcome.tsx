import { Section } from "../../app/page.tsx";
import { Button } from "../../ui/button.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import style from "./replay.module.css";
import { ContractReport, RulesReport } from "./report-view.tsx";
import type { Replaying } from "./use-replay.ts";

/** Shows the report, or the progress. */
export function Outcome({
  now,
  again,
  follow,
  callOff,
}: {
  readonly now: Replaying;
  readonly again: () => void;
  readonly follow: (id: string) => void;
  readonly callOff: () => void;
}) {
  switch (now.state) {
    case "running":
      return <Running {...now} callOff={callOff} />;
    case "failed": {
      const { error, other } = now;
      return (
        <>
          <ErrorState error={error} title="The replay failed" retry={again} />
          {other !== undefined && (
            <p>
              <Button onClick={() => follow(other)}>Follow that replay</Button>
            </p>
          )}
        </>
      );
    }
    case "done":
      return now.replayed.kind === "rules" ? <RulesReport {...now.replayed} /> : <ContractReport {...now.replayed} />;
    case "called-off":
      return (
        <EmptyState title="Replay cancelled">Nothing was changed. Run it again, or choose a shorter period.</EmptyState>
      );
    case "idle":
      return (
        <EmptyState title="No replay yet">
          <p>
            A replay repeats every recorded decision of the chosen sessions. No tool runs and no model is called.
            Decisions that would change appear here with their rule.
          </p>
        </EmptyState>
      );
  }
}

/** The total is known after the first sessions are read. */
function Running({ done, of, callOff }: { readonly done: number; readonly of: number; readonly callOff: () => void }) {
  const known = of > 0;
  return (
    <Section title="Replaying…">
      <div className="row">
        <progress
          className={style.progress}
          aria-label="Replay progress"
          value={known ? done : undefined}
          max={known ? of : undefined}
        />
        <Button onClick={callOff}>Cancel replay</Button>
      </div>
      <p className="quiet" aria-hidden="true">
        {known ? `${Math.floor((done / of) * 100)} % · ${figure(done)} of ${figure(of)} sessions` : "Finding sessions"}
      </p>
      <Text className="unseen">The replay is running.</Text>
    </Section>
  );
}
