import { useState } from "react";
import type { GatewayError, Outcome } from "../../data/client.ts";
import type { Question } from "../../data/live.ts";
import { RuleLink } from "../../moments/moment-details.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorText } from "../../ui/states.tsx";
import { plainText, Text } from "../../ui/text.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import style from "./question.module.css";

/** A call that waits for a person's approval. */
export function QuestionBox({
  question,
  onAnswer,
}: {
  readonly question: Question;
  readonly onAnswer: (approval: string, word: "yes" | "no") => Promise<Outcome<unknown>>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const now = useNow();
  const isOver = question.expiresAt <= now;
  const answer = async (word: "yes" | "no") => {
    setBusy(true);
    const outcome = await onAnswer(question.approval, word);
    setBusy(false);
    setError(outcome.ok ? undefined : outcome.error);
  };
  return (
    <section className={style.box} aria-label={plainText(`Question: ${question.question}`)}>
      <p>
        <span aria-hidden="true">? </span>
        <Text className="said">{question.question}</Text>
      </p>
      <p className="quiet small row">
        <Text className="mono">{question.tool}</Text>
        <span>
          asked by <RuleLink rule={question.rule} />
        </span>
        {isOver ? (
          <span>expired</span>
        ) : (
          <span>
            until <Time at={question.expiresAt} />
          </span>
        )}
      </p>
      {error !== undefined && <ErrorText error={error} />}
      <div className="row">
        <Button look="main" busy={busy} disabled={isOver} onClick={() => void answer("yes")}>
          Approve once
        </Button>
        <Button look="danger" busy={busy} disabled={isOver} onClick={() => void answer("no")}>
          No
        </Button>
      </div>
    </section>
  );
}
