import { Link } from "wouter";
import type { BehaviorDirective } from "../../../../src/base/words/contract.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useWrite } from "../../data/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Id } from "../../ui/id.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import type { Sums } from "./adherence.ts";
import { AdherenceBar } from "./adherence-chart.tsx";
import { checkText } from "./check-form.ts";
import style from "./contract.module.css";
import { DirectiveDetails } from "./directive-details.tsx";
import { lineOf } from "./words.ts";

type Tally = { readonly helpful: number; readonly harmful: number };
export type RowActions = {
  readonly onToggle: (id: string) => void;
  readonly onEdit: (directive: BehaviorDirective) => void;
  readonly onRemove: (directive: BehaviorDirective) => void;
  readonly onHarden: (directive: BehaviorDirective) => void;
};

/** One directive: what it says, what it did, what people say of it. It opens to all that is known. */
export function DirectiveRow({
  directive,
  sums,
  tally,
  isOpen,
  actions: { onToggle, onEdit, onRemove, onHarden },
}: {
  readonly directive: BehaviorDirective;
  readonly sums: Sums | undefined;
  readonly tally: Tally;
  readonly isOpen: boolean;
  readonly actions: RowActions;
}) {
  const isOperator = useIsOperator();
  const { id, type, text, expiresAt, source, createdAt, check, candidate } = directive;
  return (
    <li className={classes(style.directive, isOpen && style.open)} data-id={id}>
      <button type="button" data-row="" className={style.line} aria-expanded={isOpen} onClick={() => onToggle(id)}>
        <span className="kind">{type.toUpperCase()}</span>
        <Text className="said">{text}</Text>
      </button>
      <div className={style.about}>
        <span>
          {source === "daily-review" ? (
            candidate === undefined ? (
              "from the review"
            ) : (
              <Link href={`/inbox?candidate=${encodeURIComponent(candidate)}`}>from the review</Link>
            )
          ) : (
            "added"
          )}{" "}
          <Time at={createdAt} />
        </span>
        {expiresAt !== undefined && (
          <Badge tone="advised">
            expires <Time at={expiresAt} />
          </Badge>
        )}
        {check !== undefined && (
          <code title="check">
            <Text>{checkText(check)}</Text>
          </code>
        )}
        <AdherenceBar sums={sums} />
        <Marks id={id} line={lineOf(directive)} tally={tally} />
      </div>
      {isOpen && (
        <div className={style.details}>
          <DirectiveDetails directive={directive} />
          <div className="row">
            {isOperator && (
              <>
                <Button onClick={() => onEdit(directive)}>
                  Edit <kbd>E</kbd>
                </Button>
                <Button look="danger" onClick={() => onRemove(directive)}>
                  Remove <kbd>D</kbd>
                </Button>
                <Button onClick={() => onHarden(directive)}>Create rule…</Button>
              </>
            )}
            <Id id={id} href={`/contract?directive=${encodeURIComponent(id)}`} />
          </div>
        </div>
      )}
    </li>
  );
}

/** One press says that it helped, or did harm. */
function Marks({ id, line, tally }: { readonly id: string; readonly line: string; readonly tally: Tally }) {
  const isOperator = useIsOperator();
  const mark = useWrite("POST /api/contract/directives/{id}/mark");
  const tell = useToast();
  const press = async (word: "helpful" | "harmful") => {
    const outcome = await mark.run({ params: { id }, body: { mark: word } });
    if (!outcome.ok) tell(outcome.error.message, { tone: "denied" });
  };
  if (!isOperator)
    return (
      <span className="quiet">
        helpful {tally.helpful}, harmful {tally.harmful}
      </span>
    );
  return (
    <span className={style.marks}>
      {(["helpful", "harmful"] as const).map((word) => (
        <button
          key={word}
          type="button"
          className={style.mark}
          disabled={mark.pending}
          aria-label={`Mark as ${word}: ${line}. So far ${tally[word]}`}
          onClick={() => void press(word)}
        >
          <span aria-hidden="true">{word === "helpful" ? "+" : "−"}</span> {word} {tally[word]}
        </button>
      ))}
    </span>
  );
}
