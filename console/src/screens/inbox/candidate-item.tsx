import { Link } from "wouter";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { RuleLink } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Id } from "../../ui/id.tsx";
import { ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time, Until } from "../../ui/time.tsx";
import { BlockDiff } from "../contract/block.tsx";
import { againstOf, usePreview } from "../contract/edit/use-preview.ts";
import { EvidenceList } from "../contract/evidence-list.tsx";
import { lineOf, scopeInWords, viewOf } from "../contract/words.ts";
import { isOpen, patternInWords, type Shown } from "./candidates.ts";
import style from "./inbox.module.css";

export type ItemActions = {
  readonly onToggle: (id: string) => void;
  readonly onPromote: (candidate: Shown) => void;
  /** Removes the conflicting directives first. */
  readonly onMakeRoom: (candidate: Shown, against: readonly string[]) => void;
  readonly onSheet: (kind: "edit" | "reject" | "snooze" | "harden", candidate: Shown) => void;
};

/** A candidate with its confidence. Expands to its evidence and the change it would make. */
export function CandidateItem({
  candidate,
  isNew,
  isShown,
  busy,
  actions,
}: {
  readonly candidate: Shown;
  readonly isNew: boolean;
  /** Whether the candidate is expanded. */
  readonly isShown: boolean;
  readonly busy: boolean;
  readonly actions: ItemActions;
}) {
  const { id, type, text, scope, confidence, quotes, createdAt, expiresAt, demotes } = candidate;
  return (
    <li className={classes(style.item, isShown && style.shown)} data-id={id}>
      <button
        type="button"
        data-row=""
        className={style.line}
        aria-expanded={isShown}
        onClick={() => actions.onToggle(id)}
      >
        <Confidence of={confidence} />
        <span className="grow">
          {demotes !== undefined && <span className={style.drop}>drop </span>}
          <span className="kind">{type.toUpperCase()}</span> <Text>{text}</Text>
        </span>
      </button>
      <p className={style.about}>
        {isNew && <Badge tone="passed">new</Badge>}
        <StatusWords candidate={candidate} />
        <span>
          for <Text>{scopeInWords(scope)}</Text>
        </span>
        <span>
          {quotes.length} {quotes.length === 1 ? "piece" : "pieces"} of evidence
        </span>
        <span>
          proposed <Time at={createdAt} />
        </span>
        {isOpen(candidate) && (
          <span>
            expires <Time at={expiresAt} />
          </span>
        )}
      </p>
      {candidate.status === "pending" && candidate.blocked !== undefined && (
        <p className={style.blocked}>
          <Badge tone="denied">blocked</Badge> <Text>{candidate.blocked}</Text>
        </p>
      )}
      {isShown && <Details candidate={candidate} busy={busy} actions={actions} />}
    </li>
  );
}

function Confidence({ of }: { readonly of: number }) {
  const percent = Math.round(of * 100);
  return (
    <span className={style.confidence} title={`${percent} % confidence`}>
      <span className={style.meter} aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {percent} %<span className="unseen"> confidence:</span>
    </span>
  );
}

/** Shows the outcome of a decided candidate. */
function StatusWords({ candidate }: { readonly candidate: Shown }) {
  switch (candidate.status) {
    case "pending":
      return null;
    case "snoozed":
      return (
        <Badge tone="advised">
          snoozed <Until at={candidate.until} />
        </Badge>
      );
    case "promoted": {
      const { directive } = candidate;
      return (
        <span>
          <Badge tone="passed">promoted</Badge>{" "}
          {candidate.demotes === undefined ? (
            /^d_/.test(directive) ? (
              <Link href={`/contract?directive=${encodeURIComponent(directive)}`}>
                <Text>{directive}</Text>
              </Link>
            ) : (
              <RuleLink rule={directive} />
            )
          ) : (
            "and dropped"
          )}
        </span>
      );
    }
    case "rejected":
      return (
        <span>
          <Badge tone="denied">rejected</Badge> “<Text>{candidate.reason}</Text>”
        </span>
      );
    case "expired":
      return <Badge>expired</Badge>;
  }
}

function Details({
  candidate,
  busy,
  actions,
}: {
  readonly candidate: Shown;
  readonly busy: boolean;
  readonly actions: ItemActions;
}) {
  const isOperator = useIsOperator();
  const mayDecide = isOperator && isOpen(candidate);
  const { id, quotes, origin, would, demotes } = candidate;
  return (
    <div className={style.details}>
      <div className={style.halves}>
        <section className="stack" aria-label="Evidence">
          <h3>Evidence</h3>
          <EvidenceList quotes={quotes} />
          {origin !== undefined && (
            <p className="quiet">
              Reason: <Text>{patternInWords(origin.pattern)}</Text>
              {origin.subject !== undefined && (
                <>
                  {" "}
                  (<Text>{origin.subject}</Text>)
                </>
              )}
              {origin.reviewer !== undefined && (
                <>
                  , by <Text>{origin.reviewer}</Text>
                </>
              )}
              .
            </p>
          )}
        </section>
        <section className="stack" aria-label="What it would change">
          <h3>What it would change</h3>
          {mayDecide ? (
            <WouldChange candidate={candidate} busy={busy} onMakeRoom={actions.onMakeRoom} />
          ) : (
            <p>
              It <Text>{would}</Text>
            </p>
          )}
        </section>
      </div>
      <div className="row">
        {mayDecide && (
          <>
            <Button look="main" busy={busy} onClick={() => actions.onPromote(candidate)}>
              {demotes === undefined ? "Promote" : "Promote and remove directive"} <kbd>P</kbd>
            </Button>
            {demotes === undefined && (
              <Button onClick={() => actions.onSheet("edit", candidate)}>
                Edit… <kbd>E</kbd>
              </Button>
            )}
            <Button look="danger" onClick={() => actions.onSheet("reject", candidate)}>
              Reject… <kbd>R</kbd>
            </Button>
            <Button onClick={() => actions.onSheet("snooze", candidate)}>
              Snooze… <kbd>S</kbd>
            </Button>
            {demotes === undefined && (
              <Button onClick={() => actions.onSheet("harden", candidate)}>Create rule…</Button>
            )}
          </>
        )}
        <Id id={id} href={`/inbox?candidate=${encodeURIComponent(id)}`} />
      </div>
    </div>
  );
}

/** Shows the lines that would change, or why promotion is rejected and how to make room. */
function WouldChange({
  candidate,
  busy,
  onMakeRoom,
}: {
  readonly candidate: Shown;
  readonly busy: boolean;
  readonly onMakeRoom: ItemActions["onMakeRoom"];
}) {
  const { id, scope, demotes, type, text } = candidate;
  const now = useQuery("GET /api/contract", { query: viewOf(scope) });
  const base = now.state === "ready" ? now.data : undefined;
  const preview = usePreview(
    "POST /api/candidates/{id}/promote",
    { params: { id }, query: { dryRun: "true" }, body: {} },
    `${base?.contract.hash} ${type} ${text}`,
  );
  const against = againstOf(preview.error);
  const all = base?.all ?? [];
  const named = against.map((one) => {
    const found = all.find((directive) => directive.id === one);
    return found === undefined ? one : lineOf(found);
  });
  if (base === undefined || (preview.value === undefined && preview.error === undefined)) return <Skeleton lines={5} />;
  if (preview.error !== undefined)
    return (
      <div role="status" className="stack">
        <ErrorText error={preview.error} />
        {against.length > 0 && (
          <Button className="wraps" busy={busy} onClick={() => onMakeRoom(candidate, against)}>
            Remove <Text>{named.join(" and ")}</Text> and promote
          </Button>
        )}
      </div>
    );
  const same = preview.value?.contract.hash === base.contract.hash;
  return (
    <>
      {demotes !== undefined && (
        <p>
          The proposal removes{" "}
          <Id id={demotes} href={`/contract?directive=${encodeURIComponent(demotes)}`} copy={false} /> from the
          contract.
        </p>
      )}
      {same && <p className="quiet">Nothing. The contract already covers it.</p>}
      <BlockDiff
        label={`Prompt block for ${scopeInWords(scope)}`}
        before={base.contract.block}
        after={preview.value?.contract.block ?? base.contract.block}
      />
      {preview.value?.warnings.map((one) => (
        <p key={String(one.message)}>
          <Badge tone="advised">warning</Badge> <Text>{String(one.message)}</Text>
        </p>
      ))}
    </>
  );
}
