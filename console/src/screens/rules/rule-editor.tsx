import { lazy, Suspense, useEffect, useRef } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page, Section } from "../../app/page.tsx";
import { useDraft } from "../../data/drafts.ts";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, ErrorState, ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Cases } from "./cases.tsx";
import type { EditorHandle } from "./code-editor.tsx";
import { Marks } from "./marks.tsx";
import { Effect } from "./rule-lists.tsx";
import style from "./rules.module.css";
import { SavePanel } from "./save-panel.tsx";
import { standingOf } from "./standing.ts";
import { FIRST, FIRST_CASES, startText } from "./start-text.ts";
import { type Check, useCheck } from "./use-check.ts";

const CodeEditor = lazy(() => import("./code-editor.tsx"));
const WITHIN = { name: "Rules", href: "/rules" };

/** Edits rules as text, with completion, checks while typing, test cases and a choice of where to save. */
export function RuleEditor() {
  const search = useSearch();
  const handed = useHistoryState<{ readonly rules?: string } | null>()?.rules;
  const agents = useQuery("GET /api/rules");
  const standing = useQuery("GET /api/rules/standing");
  const isOperator = useIsOperator();
  if (!isOperator)
    return (
      <Page title="Write a rule" within={WITHIN}>
        <EmptyState title="Only operators can write rules" action={<Link href="/rules">All rules</Link>}>
          You can view every rule and what it did.
        </EmptyState>
      </Page>
    );
  const failed = [agents, standing].find((query) => query.state === "failed");
  if (failed?.state === "failed")
    return (
      <Page title="Write a rule" within={WITHIN}>
        <ErrorState error={failed.error} retry={failed.refresh} />
      </Page>
    );
  if (agents.state !== "ready" || standing.state !== "ready")
    return (
      <Page title="Write a rule" within={WITHIN}>
        <Skeleton lines={16} />
      </Page>
    );
  const asked = new URLSearchParams(search);
  const text = handed ?? startText(asked, agents.data.agents, standingOf(standing.data));
  const own = asked.get("rule") === null ? asked.get("agent") : null;
  return <Editing key={search} start={text} own={own} known={agents.data.known} agents={agents.data.agents} />;
}

function Editing({
  start,
  own,
  known,
  agents,
}: {
  readonly start: string;
  /** The agent whose own rules are edited. */
  readonly own: string | null;
  readonly known: readonly string[];
  readonly agents: Parameters<typeof SavePanel>[0]["agents"];
}) {
  const form = `rules ${useSearch()}`;
  const [text, setText] = useDraft(form, () => start);
  const [cases, setCases] = useDraft<string>(`${form} cases`, () => (start === FIRST ? FIRST_CASES : ""));
  const check = useCheck(text);
  const editor = useRef<EditorHandle>(null);
  const [, go] = useLocation();
  const replay = () =>
    go(own === null ? "/replay" : `/replay?agent=${encodeURIComponent(own)}`, { state: { rules: text } });
  useHotkeys([{ keys: "mod+e", does: "Replay with this rule", run: replay }]);
  useWarning(text !== start);
  return (
    <Page
      title={own === null ? "Write a rule" : `Rules of ${own}`}
      within={WITHIN}
      lead={
        <>
          Tab indents. Escape, then Tab leaves the editor. Ctrl Space completes. The language is described in{" "}
          <code>docs/reference/rules.md</code>.
        </>
      }
      actions={
        <Button onClick={replay} disabled={!check.sound}>
          Replay with this rule…
        </Button>
      }
    >
      <div className={style.panes}>
        <div className="stack">
          <Suspense fallback={<Skeleton lines={12} />}>
            <CodeEditor
              label="Rules"
              text={text}
              onChange={setText}
              marks={check.marks}
              known={known}
              handle={editor}
            />
          </Suspense>
          <Findings check={check} text={text} onGo={(line, column) => editor.current?.goTo(line, column)} />
          <Cases rules={text} cases={cases} onChange={setCases} sound={check.sound} />
        </div>
        <SavePanel text={text} check={check} own={own} agents={agents} />
      </div>
    </Page>
  );
}

/** Lists the faults, or describes each rule. The height changes only if there is something to show. */
function Findings({
  check,
  text,
  onGo,
}: {
  readonly check: Check;
  readonly text: string;
  readonly onGo: (line: number, column: number) => void;
}) {
  const { checked, error, marks, of } = check;
  return (
    <div className={style.findings} aria-live="polite">
      {error !== undefined && <ErrorText error={error} />}
      <Marks label="Faults" marks={marks} onGo={onGo} />
      {checked !== undefined && checked.faults.length === 0 && (
        <Section title={of === text ? "What it does" : "What it does…"}>
          <ul className={style.does}>
            {checked.rules.map(({ id, does, effect }) => (
              <li key={id}>
                <Effect of={effect} /> <Text className="mono">{id}</Text> <Text className="quiet">{does}</Text>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

/** The browser asks for confirmation before unsaved text is lost. */
function useWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [dirty]);
}
