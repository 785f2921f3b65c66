import { Section } from "../../app/page.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { figure } from "../../ui/token-bar.tsx";
import style from "./replay.module.css";
import { ContractReport, RulesReport } from "./report-view.tsx";
import type { Replaying } from "./use-replay.ts";

/** What came of it, or how far it is. */
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
          <ErrorState error={error} title="It could not be replayed" retry={again} />
          {other !== undefined && (
            <p>
              <Button onClick={() => follow(other)}>Follow that one</Button>
            </p>
          )}
        </>
      );
    }
    case "done":
      return now.replayed.kind === "rules" ? <RulesReport {...now.replayed} /> : <ContractReport {...now.replayed} />;
    case "called-off":
      return (
        <EmptyState title="It was called off">Nothing was written. Run it again, or choose a shorter time.</EmptyState>
      );
    case "idle":
      return (
        <EmptyState title="Nothing has been replayed yet">
          <p>
            Every recorded decision of the sessions you choose is made again, from what was recorded and nothing else:
            no tool runs, no model is asked. What would have been decided otherwise stands here with the rule that is
            behind it.
          </p>
        </EmptyState>
      );
  }
}

/** How many sessions there are is known when the first were read. */
function Running({ done, of, callOff }: { readonly done: number; readonly of: number; readonly callOff: () => void }) {
  const known = of > 0;
  return (
    <Section title="Deciding anew …">
      <div className="row">
        <progress
          className={style.progress}
          aria-label="Replay under way"
          {...(known ? { value: done, max: of } : {})}
        />
        <Button onClick={callOff}>Call it off</Button>
      </div>
      <p className="quiet" aria-hidden="true">
        {known
          ? `${Math.floor((done / of) * 100)} % · ${figure(done)} of ${figure(of)} sessions`
          : "Looking for sessions"}
      </p>
      <Text className="unseen">The replay is under way.</Text>
    </Section>
  );
}
