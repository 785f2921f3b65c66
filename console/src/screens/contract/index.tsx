import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { BehaviorDirective } from "../../../../src/base/words/contract.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page, Section } from "../../app/page.tsx";
import type { LiveUpdate } from "../../data/live.ts";
import { useIsOperator, useLive, useStore } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { currentRow, useRowKeys } from "../../ui/data/use-row-keys.ts";
import { SearchField } from "../../ui/field.tsx";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Text } from "../../ui/text.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { HardenDialog } from "../inbox/harden-dialog.tsx";
import { sumOf } from "./adherence.ts";
import { ByHash, type FoundHash } from "./by-hash.tsx";
import style from "./contract.module.css";
import { DirectiveRow, type RowActions } from "./directive-row.tsx";
import { Editor } from "./edit/editor.tsx";
import { RemoveDialog } from "./edit/remove-dialog.tsx";
import { UndoDialog } from "./edit/undo-dialog.tsx";
import { History } from "./history.tsx";
import { Told, type View } from "./prompt-block.tsx";
import { byScope, lineOf, scopeInWords } from "./words.ts";

type Sheet =
  | { readonly kind: "none" | "add" | "undo" }
  | { readonly kind: "edit" | "remove" | "harden"; readonly directive: BehaviorDirective };

const CLOSED: Sheet = { kind: "none" };
const NO_TALLY = { helpful: 0, harmful: 0 };

/** Shows the directives, which agents follow from their next turn. */
export default function ContractScreen() {
  const isOperator = useIsOperator();
  const [params, set] = useAddress();
  const [sheet, setSheet] = useState<Sheet>(CLOSED);
  const query = useQuery("GET /api/contract");
  const all = query.state === "ready" ? query.data.all : [];
  const tab = params.get("tab") === "history" ? "history" : "now";
  const view: View = {
    agent: params.get("agent") ?? "",
    channel: params.get("channel") ?? "",
    user: params.get("user") ?? "",
  };
  const version = params.get("version");
  const hash = params.get("hash");
  const isNow = query.state === "ready" && query.data.contract.hash === hash;
  const onFound = useCallback((found: FoundHash) => set({ hash: "", ...found }), [set]);
  const close = useCallback(() => setSheet(CLOSED), []);
  const undo = useCallback(() => setSheet({ kind: "undo" }), []);
  const onView = useCallback((part: keyof View, name: string) => set({ [part]: name }), [set]);
  useHotkeys(
    isOperator
      ? [
          { keys: "n", does: "New directive", run: () => setSheet({ kind: "add" }) },
          { keys: "u", does: "Undo the last change", run: undo },
        ]
      : [],
  );
  useHotkeys([
    {
      keys: "h",
      does: "Switch between history and current contract",
      run: () => set({ tab: tab === "now" ? "history" : "" }),
    },
  ]);
  return (
    <Page
      title="Contract"
      lead="Directives that agents see at every turn: KEEP, MORE, LESS, STOP, START."
      command={tab === "history" ? ["behavior", "history"] : ["behavior", "list"]}
      actions={
        isOperator ? (
          <>
            <Button look="main" onClick={() => setSheet({ kind: "add" })}>
              New directive <kbd>N</kbd>
            </Button>
            <Button onClick={undo}>
              Undo <kbd>U</kbd>
            </Button>
          </>
        ) : (
          <span className="quiet">You have read-only access.</span>
        )
      }
    >
      <Tabs
        label="Contract"
        tabs={[
          { name: "now", label: "In force" },
          { name: "history", label: "History" },
        ]}
        current={tab}
        onChange={(name) => set({ tab: name === "history" ? name : "" })}
      >
        {tab === "history" ? (
          <History
            from={params.get("from") ?? version ?? ""}
            to={params.get("to") ?? ""}
            view={view}
            onPick={(from, to) => set({ from, to, version: "" })}
            onView={onView}
          />
        ) : (
          <div className={style.columns}>
            <Directives
              query={query}
              all={all}
              open={params.get("directive") ?? ""}
              onOpen={(id) => set({ directive: id })}
              onSheet={setSheet}
            />
            <div className={style.beside}>
              {hash !== null && !isNow ? (
                <Section title="Prompt block">
                  <ByHash hash={hash} onFound={onFound} onGone={() => set({ hash: "" })} />
                </Section>
              ) : (
                <Told
                  view={view}
                  onView={onView}
                  version={version === null || !/^\d+$/.test(version) ? undefined : Number(version)}
                  onVersion={(next) => set({ version: next })}
                />
              )}
            </div>
          </div>
        )}
      </Tabs>
      {sheet.kind === "add" && <Editor all={all} onClose={close} onUndo={undo} />}
      {sheet.kind === "edit" && <Editor old={sheet.directive} all={all} onClose={close} onUndo={undo} />}
      {sheet.kind === "remove" && <RemoveDialog directive={sheet.directive} onClose={close} onUndo={undo} />}
      {sheet.kind === "undo" && <UndoDialog onClose={close} />}
      {sheet.kind === "harden" && (
        <HardenDialog from={sheet.directive.id} line={lineOf(sheet.directive)} onClose={close} />
      )}
    </Page>
  );
}

/** Lists the directives by scope, with search and adherence. */
function Directives({
  query,
  all,
  open,
  onOpen,
  onSheet,
}: {
  readonly query: ReturnType<typeof useQuery<"GET /api/contract">>;
  readonly all: readonly BehaviorDirective[];
  readonly open: string;
  readonly onOpen: (id: string) => void;
  readonly onSheet: (sheet: Sheet) => void;
}) {
  const isOperator = useIsOperator();
  const box = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const measured = useQuery("GET /api/adherence");
  useFreshAdherence();
  const rows = measured.state === "ready" ? measured.data.rows : undefined;
  const byDirective = useMemo(
    () =>
      rows &&
      Map.groupBy(
        rows.filter((row) => row.of === "directive"),
        ({ id }) => id,
      ),
    [rows],
  );
  const tallies = new Map(
    measured.state === "ready" ? measured.data.tallies.map((one) => [one.directive, one] as const) : [],
  );
  const found = all.filter((one) =>
    wanted.split(/\s+/).every((word) => `${lineOf(one)} ${one.id} ${one.scope}`.toLowerCase().includes(word)),
  );
  const actions: RowActions = {
    onToggle: (id) => onOpen(id === open ? "" : id),
    onEdit: (directive) => onSheet({ kind: "edit", directive }),
    onRemove: (directive) => onSheet({ kind: "remove", directive }),
    onHarden: (directive) => onSheet({ kind: "harden", directive }),
  };
  const current = () => all.find(({ id }) => id === currentRow(box));
  const act = (kind: "edit" | "remove") => {
    const directive = current();
    if (directive !== undefined) onSheet({ kind, directive });
  };
  useRowKeys(box);
  useHotkeys(
    isOperator
      ? [
          { keys: "e", does: "Edit this directive", run: () => act("edit") },
          { keys: "d", does: "Remove this directive", run: () => act("remove") },
        ]
      : [],
  );
  return (
    <div ref={box} className={style.list}>
      <QueryView query={query} skeleton={<Skeleton lines={8} height={48} />}>
        {() =>
          all.length === 0 ? (
            <EmptyState
              title="No directives yet"
              action={
                isOperator ? (
                  <Button look="main" onClick={() => onSheet({ kind: "add" })}>
                    New directive
                  </Button>
                ) : undefined
              }
            >
              <p>
                A directive is one line in every prompt, such as “STOP: long status reports”. It applies to everybody,
                one agent, one channel or one user, from the next turn until you remove it.
              </p>
              <p>
                Operators can also send the same line as a chat message. Proposals from the daily review are in the
                Inbox.
              </p>
            </EmptyState>
          ) : (
            <>
              <SearchField
                label="Search directives"
                hideLabel
                placeholder="Search"
                value={search}
                onChange={({ target: { value } }) => setSearch(value)}
              />
              {open !== "" && !all.some(({ id }) => id === open) && (
                <p className={style.nothing} role="status">
                  <code>
                    <Text>{open}</Text>
                  </code>{" "}
                  is no longer in force. See the history.
                </p>
              )}
              {found.length === 0 && (
                <p className="quiet" role="status">
                  Nothing matches “{search}”.
                </p>
              )}
              {byScope(found).map(([scope, own]) => (
                <Section key={scope} title={<ScopeTitle scope={scope} count={own.length} />}>
                  <ul className={style.directives}>
                    {own.map((directive) => (
                      <DirectiveRow
                        key={directive.id}
                        directive={directive}
                        sums={byDirective === undefined ? undefined : sumOf(byDirective.get(directive.id) ?? [])}
                        tally={tallies.get(directive.id) ?? NO_TALLY}
                        isOpen={directive.id === open}
                        actions={actions}
                      />
                    ))}
                  </ul>
                </Section>
              ))}
            </>
          )
        }
      </QueryView>
    </div>
  );
}

function ScopeTitle({ scope, count }: { readonly scope: string; readonly count: number }) {
  const words = scopeInWords(scope);
  return (
    <>
      <Text>{`${words.charAt(0).toUpperCase()}${words.slice(1)}`}</Text> <span className="quiet">{count}</span>
    </>
  );
}

/** Minimum time between two counts, because the gateway reads many events for each. */
const COUNT_MS = 15_000;

function useFreshAdherence(): void {
  const { cache } = useStore();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const listener = useCallback(
    (update: LiveUpdate) => {
      if (update.kind !== "event" || update.event.type !== "stop") return;
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        cache.invalidate((route) => route === "GET /api/adherence");
      }, COUNT_MS);
    },
    [cache],
  );
  useLive(listener);
  useEffect(() => () => clearTimeout(timer.current), []);
}
