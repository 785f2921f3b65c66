import type { ReactNode } from "react";
import { Link } from "wouter";
import { Section } from "../../app/page.tsx";
import type { Answer } from "../../data/client.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { QuestionBox } from "../../moments/question.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { moneyText } from "../../ui/data/units.ts";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import style from "./needs-you.module.css";

type Attention = Answer<"GET /api/attention">;

/** Lists what waits for a person: questions first, then failures, degraded parts, limits and proposals. */
export function NeedsYou() {
  const isOperator = useIsOperator();
  const questions = useQuery("GET /api/approvals", undefined, { when: isOperator });
  const attention = useQuery("GET /api/attention");
  const pending = useQuery("GET /api/candidates", { query: { status: "pending" } });
  const answer = useWrite("POST /api/approvals/{id}");
  const asked = questions.state === "ready" ? questions.data.approvals : [];
  const found: Attention =
    attention.state === "ready" ? attention.data : { turns: [], health: [], duplicates: [], budgets: [] };
  const candidates = pending.state === "ready" ? pending.data.candidates : [];
  const isLoading = attention.state === "loading" || pending.state === "loading";
  const items = [
    ...found.health.map(({ name, message }) => (
      <Need key={`health ${name}`} tone="denied" word="degraded">
        <Text className={style.what}>{name}</Text> <Text>{message}</Text>
      </Need>
    )),
    ...found.turns.map((turn) => (
      <Need key={`turn ${turn.session}`} tone="denied" word={turn.status === "failed" ? "turn failed" : turn.status}>
        <Link href={sessionHref(turn.session)} className={style.what}>
          <Text className={style.said}>{turn.text}</Text>
        </Link>{" "}
        <Text>{turn.why ?? "The gateway stopped while the turn ran. Send the message again."}</Text>{" "}
        <span className="quiet small">
          <Text>{`${turn.agent} · ${turn.channel} · ${turn.user}`}</Text> · <Time at={turn.at} />
        </span>
      </Need>
    )),
    ...found.budgets.map((one) => (
      <Need key={`budget ${one.session} ${one.scope} ${one.what}`} tone="advised" word="limit almost used up">
        <Link href={sessionHref(one.session)} className={style.what}>
          <Text>{one.agent}</Text>
        </Link>{" "}
        {amountText(one)} <span className="quiet small">limit per {one.scope}</span>
      </Need>
    )),
    ...found.duplicates.map(({ a, b }) => (
      <Need key={`same ${a.id} ${b.id}`} tone="advised" word="may say the same">
        <DirectiveLink directive={a} /> and <DirectiveLink directive={b} />
      </Need>
    )),
    ...candidates.map(({ id, type, text }) => (
      <Need key={`candidate ${id}`} tone="neutral" word="proposed">
        <Link href={`/inbox?candidate=${encodeURIComponent(id)}`} className={style.what}>
          <Text>{`${type.toUpperCase()}: ${text}`}</Text>
        </Link>{" "}
        <span className="quiet small">by the daily review</span>
      </Need>
    )),
  ];
  const count = asked.length + items.length;
  return (
    <Section title={count === 0 ? "Needs you" : `Needs you (${count})`}>
      <div className={style.questions}>
        {asked.map((question) => (
          <QuestionBox
            key={question.approval}
            question={question}
            withSession
            onAnswer={(approval, word) => answer.run({ params: { id: approval }, body: { answer: word } })}
          />
        ))}
      </div>
      {items.length > 0 && (
        <ul className={style.list} aria-label="Needs you">
          {items}
        </ul>
      )}
      {count === 0 && (
        <p className="quiet" role="status">
          {isLoading
            ? "Loading…"
            : "Nothing waits for you. Questions, failed turns, limits and proposals will appear here."}
        </p>
      )}
    </Section>
  );
}

function Need({ tone, word, children }: { readonly tone: Tone; readonly word: string; readonly children: ReactNode }) {
  return (
    <li className={style.need}>
      <span className={style.word}>
        <Badge tone={tone}>{word}</Badge>
      </span>
      <span className={style.text}>{children}</span>
    </li>
  );
}

function DirectiveLink({
  directive: { id, type, text },
}: {
  readonly directive: Attention["duplicates"][number]["a"];
}) {
  return (
    <Link href={`/contract?directive=${encodeURIComponent(id)}`} className={style.what}>
      <Text>{`${type.toUpperCase()}: ${text}`}</Text>
    </Link>
  );
}

const NAMES: { readonly [what: string]: string } = {
  tokens: "tokens",
  inputTokens: "input tokens",
  outputTokens: "output tokens",
  calls: "calls",
};

function amountText({ what, used, limit }: Attention["budgets"][number]): string {
  if (what === "cost") return `${moneyText(used)} of ${moneyText(limit)}`;
  return `${figure(used)} of ${figure(limit)} ${NAMES[what] ?? what}`;
}
