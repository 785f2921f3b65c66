import { useState } from "react";
import { Link } from "wouter";
import type { PersonAnswer } from "../../../src/base/words/decision.ts";
import type { GatewayError, Outcome } from "../data/client.ts";
import type { Question } from "../data/live.ts";
import { useUser } from "../data/store.tsx";
import { useQuery, useWrite } from "../data/use-query.ts";
import { Button } from "../ui/button.tsx";
import { ErrorText } from "../ui/states.tsx";
import { plainText, Text } from "../ui/text.tsx";
import { Until, useNow } from "../ui/time.tsx";
import { lineOf } from "./line-of.ts";
import { RuleLink, sessionHref } from "./moment-details.tsx";
import style from "./question.module.css";

/** A call that waits for a person's approval. */
export function QuestionBox({
  question,
  onAnswer,
  withSession = false,
}: {
  readonly question: Question;
  /** Shows which session asks, with a link. */
  readonly withSession?: boolean;
  readonly onAnswer: (approval: string, word: PersonAnswer) => Promise<Outcome<unknown>>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const now = useNow();
  const isOver = question.expiresAt <= now;
  const command = useCommand(question);
  const answer = async (word: PersonAnswer) => {
    setBusy(true);
    const outcome = await onAnswer(question.approval, word);
    setBusy(false);
    setError(outcome.ok ? undefined : outcome.error);
  };
  return (
    <section className={style.box} aria-label={plainText(`Question: ${question.question}`)}>
      <p className={style.command}>
        <span aria-hidden="true">? </span>
        <Text className="mono">{command}</Text>
      </p>
      <p>
        <Text className="said">{question.question}</Text>
      </p>
      <p className="quiet small row">
        {withSession && (
          <Link href={sessionHref(question.session)}>
            <Text>{`${question.agent} · ${question.user || "this machine"} · ${question.session.slice(-6)}`}</Text>
          </Link>
        )}
        <span>
          asked by <RuleLink rule={question.rule} />
        </span>
        {isOver ? (
          <span>expired: the call was denied</span>
        ) : (
          <span>
            <Until at={question.expiresAt} />
          </span>
        )}
      </p>
      {question.at === "runtime" && !isOver && (
        <p className="quiet small">The runtime was told no for now. A yes lets one identical call pass.</p>
      )}
      {error !== undefined && <ErrorText error={error} />}
      <div className="row">
        <Button look="main" busy={busy} disabled={isOver} onClick={() => void answer("yes")}>
          {question.at === "runtime" ? "Yes, allow one retry" : "Yes, once"}
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

/** The call in short: `shell npm publish`. The tool alone until the call is loaded; users cannot read the decision. */
function useCommand({ approval, tool }: Question): string {
  const isUser = useUser().role === "user";
  const found = useQuery("GET /api/decisions/{id}", { params: { id: approval } }, { when: !isUser });
  const call = found.state === "ready" ? found.data.events.find((event) => event.type === "call") : undefined;
  return call === undefined ? tool : lineOf(call).what;
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
