import { useState } from "react";
import type { PersonAnswer } from "../../../../src/base/words/decision.ts";
import type { GatewayError, Outcome } from "../../data/client.ts";
import type { Question } from "../../data/live.ts";
import { useUser } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
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
  readonly onAnswer: (approval: string, word: PersonAnswer) => Promise<Outcome<unknown>>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const now = useNow();
  const isOver = question.expiresAt <= now;
  const answer = async (word: PersonAnswer) => {
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
        {question.remember === true && (
          <Button busy={busy} disabled={isOver} onClick={() => void answer("always")}>
            Always in this session
          </Button>
        )}
        <Button look="danger" busy={busy} disabled={isOver} onClick={() => void answer("no")}>
          No
        </Button>
      </div>
    </section>
  );
}

/** What a person allowed for the rest of this session, with a way to end it. */
export function AlwaysAllowed({ session }: { readonly session: string }) {
  const { role } = useUser();
  const found = useQuery("GET /api/approvals", undefined, { when: role !== "viewer" });
  const answer = useWrite("POST /api/approvals/{id}");
  const always = found.state === "ready" ? (found.data.always ?? []).filter((one) => one.session === session) : [];
  return always.map(({ approval, question, rule }) => (
    <section key={approval} className={style.box} aria-label={plainText(`Always allowed: ${question}`)}>
      <p className="small">
        Always allowed in this session: <Text className="said">{question.split("\n")[0] ?? ""}</Text>
      </p>
      <div className="row small">
        <span className="quiet">
          asked by <RuleLink rule={rule} />
        </span>
        <Button look="link" onClick={() => void answer.run({ params: { id: approval }, body: { answer: "no" } })}>
          Ask again from now on
        </Button>
      </div>
    </section>
  ));
}
