import { useCallback, useDeferredValue, useRef, useState } from "react";
import type { DirectiveType } from "../../../../src/base/words/contract.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import type { GatewayError } from "../../data/client.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button, Chip } from "../../ui/button.tsx";
import { currentRow, useRowKeys } from "../../ui/data/use-row-keys.ts";
import { SearchField } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { UndoDialog } from "../contract/edit/undo-dialog.tsx";
import { CandidateItem, type ItemActions } from "./candidate-item.tsx";
import {
  inOrder,
  isOpen,
  matches,
  nextAfter,
  type Shown,
  STATUS_NAMES,
  STATUSES,
  type Status,
  titleOf,
} from "./candidates.ts";
import { EditDialog, RejectDialog, SnoozeDialog } from "./decide-dialogs.tsx";
import { HardenDialog } from "./harden-dialog.tsx";
import style from "./inbox.module.css";
import { ReviewBar } from "./review-bar.tsx";

type Sheet =
  | { readonly kind: "none" | "undo" }
  | { readonly kind: "edit" | "reject" | "snooze" | "harden"; readonly candidate: Shown };

const CLOSED: Sheet = { kind: "none" };
const NONE: readonly Shown[] = [];
const NONE_THERE: { readonly [S in Exclude<Status, "pending">]: string } = {
  snoozed: "No snoozed candidates. Candidates that you snooze appear here until their time has come.",
  promoted: "No promoted candidates yet. They become directives or rules, and appear here.",
  rejected: "No rejected candidates. They appear here with your reason, and are proposed again only with new evidence.",
  expired: "No expired candidates. Candidates that nobody decides on in time appear here.",
};

/** Lists the review's proposals. None takes effect before a person promotes it. */
export default function InboxScreen() {
  const isOperator = useIsOperator();
  const [params, set] = useAddress();
  const [sheet, setSheet] = useState<Sheet>(CLOSED);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const query = useQuery("GET /api/candidates");
  const digest = useQuery("GET /api/review/digest");
  const promoting = useWrite("POST /api/candidates/{id}/promote");
  const removing = useWrite("DELETE /api/contract/directives/{id}");
  const tell = useToast();
  const box = useRef<HTMLDivElement>(null);

  const all = query.state === "ready" ? query.data.candidates : NONE;
  const fresh = new Set(
    (digest.state === "ready" ? digest.data.items : [])
      .filter(({ isNew }) => isNew)
      .map(({ candidate }) => candidate.id),
  );
  const open = params.get("candidate") ?? "";
  const status = statusOf(params.get("status")) ?? all.find(({ id }) => id === open)?.status ?? "pending";
  const list = inOrder(
    all.filter((one) => one.status === status && (wanted === "" || matches(one, wanted))),
    fresh,
  );
  const close = useCallback(() => setSheet(CLOSED), []);
  const undo = useCallback(() => setSheet({ kind: "undo" }), []);

  /** A decided candidate leaves the list; open and focus the next one. */
  const advance = (id: string) => {
    const next = nextAfter(list, id);
    set({ candidate: next, status });
    const row = box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"] [data-row]`);
    requestAnimationFrame(() => row?.focus());
  };
  async function promote(
    candidate: Shown,
    as?: { readonly type: DirectiveType; readonly text: string },
  ): Promise<GatewayError | undefined> {
    const { id } = candidate;
    const outcome = await promoting.run({ params: { id }, body: as === undefined ? {} : { as } });
    if (!outcome.ok) return outcome.error;
    close();
    advance(id);
    tell(`Promoted: ${as === undefined ? titleOf(candidate) : `${as.type.toUpperCase()}: ${as.text}`}`, {
      tone: "passed",
      action: { label: "Undo", run: undo },
    });
    return undefined;
  }
  async function promoteHere(candidate: Shown) {
    const error = await promote(candidate);
    if (error !== undefined) tell(error.message, { tone: "denied" });
  }
  /** Removes the conflicting directives, then promotes the candidate. */
  async function makeRoom(candidate: Shown, against: readonly string[]) {
    for (const id of against) {
      const reason = `makes room for ${titleOf(candidate)}`.slice(0, 500);
      const outcome = await removing.run({ params: { id }, query: { reason } });
      if (!outcome.ok) return tell(outcome.error.message, { tone: "denied" });
    }
    await promoteHere(candidate);
  }
  const actions: ItemActions = {
    onToggle: (id) => set({ candidate: id === open ? "" : id, status }),
    onPromote: (candidate) => void promoteHere(candidate),
    onMakeRoom: (candidate, against) => void makeRoom(candidate, against),
    onSheet: (kind, candidate) => setSheet({ kind, candidate }),
  };
  const act = (run: (candidate: Shown) => void) => {
    const candidate = list.find(({ id }) => id === currentRow(box));
    if (candidate !== undefined && isOpen(candidate)) run(candidate);
  };
  const sheetFor = (kind: "edit" | "reject" | "snooze") => () =>
    act((candidate) =>
      kind === "edit" && candidate.demotes !== undefined ? undefined : setSheet({ kind, candidate }),
    );
  useRowKeys(
    box,
    useCallback((id: string) => set({ candidate: id }), [set]),
  );
  useHotkeys(
    isOperator
      ? [
          { keys: "p", does: "Promote", run: () => act((candidate) => void promoteHere(candidate)) },
          { keys: "e", does: "Edit, then promote", run: sheetFor("edit") },
          { keys: "r", does: "Reject", run: sheetFor("reject") },
          { keys: "s", does: "Snooze", run: sheetFor("snooze") },
          { keys: "u", does: "Undo the last change", run: undo },
        ]
      : [],
  );
  const done = (candidate: Shown) => {
    close();
    advance(candidate.id);
  };
  const busy = promoting.pending || removing.pending;
  return (
    <Page
      title="Inbox"
      lead="Proposals from the daily review, with their evidence. A proposal has no effect until you promote it."
      command={open === "" ? ["review", "list"] : ["review", "show", open]}
      actions={
        isOperator ? (
          <Button onClick={undo}>
            Undo <kbd>U</kbd>
          </Button>
        ) : (
          <span className="quiet">You have read-only access.</span>
        )
      }
    >
      <ReviewBar />
      <div className={style.tools}>
        <fieldset className="row">
          <legend className="unseen">Status</legend>
          {STATUSES.map((one) => {
            const count = all.filter((candidate) => candidate.status === one).length;
            return (
              <Chip key={one} on={one === status} onClick={() => set({ status: one, candidate: "" })}>
                {STATUS_NAMES[one]} {count}
              </Chip>
            );
          })}
        </fieldset>
        <SearchField
          label="Search candidates"
          hideLabel
          placeholder="Search"
          value={search}
          onChange={({ target: { value } }) => setSearch(value)}
        />
      </div>
      <div ref={box}>
        <QueryView query={query} skeleton={<Skeleton lines={6} height={56} />}>
          {() => (
            <>
              {open !== "" && !all.some(({ id }) => id === open) && (
                <p className="quiet" role="status">
                  No candidate has the ID{" "}
                  <code>
                    <Text>{open}</Text>
                  </code>
                  .
                </p>
              )}
              {list.length === 0 ? (
                wanted !== "" ? (
                  <p className="quiet" role="status">
                    Nothing matches “{search}”.
                  </p>
                ) : status === "pending" ? (
                  <EmptyState title="No candidates to decide">
                    Every day the review reads the journal: corrections, denials and repeated failures. Its proposals
                    appear here with their evidence. Run the review now to see what it finds.
                  </EmptyState>
                ) : (
                  <p className="quiet">{NONE_THERE[status]}</p>
                )
              ) : (
                <ul className={style.items} aria-label={`${STATUS_NAMES[status]} candidates`}>
                  {list.map((candidate) => (
                    <CandidateItem
                      key={candidate.id}
                      candidate={candidate}
                      isNew={fresh.has(candidate.id)}
                      isShown={candidate.id === open}
                      busy={busy}
                      actions={actions}
                    />
                  ))}
                </ul>
              )}
            </>
          )}
        </QueryView>
      </div>
      {sheet.kind === "undo" && <UndoDialog onClose={close} />}
      {sheet.kind === "reject" && (
        <RejectDialog candidate={sheet.candidate} onClose={close} onDone={() => done(sheet.candidate)} />
      )}
      {sheet.kind === "snooze" && (
        <SnoozeDialog candidate={sheet.candidate} onClose={close} onDone={() => done(sheet.candidate)} />
      )}
      {sheet.kind === "edit" && (
        <EditDialog candidate={sheet.candidate} onClose={close} onPromote={(as) => promote(sheet.candidate, as)} />
      )}
      {sheet.kind === "harden" && (
        <HardenDialog
          from={sheet.candidate.id}
          line={titleOf(sheet.candidate)}
          onClose={close}
          onDone={() => advance(sheet.candidate.id)}
        />
      )}
    </Page>
  );
}

function statusOf(written: string | null): Status | undefined {
  return STATUSES.find((one) => one === written);
}
