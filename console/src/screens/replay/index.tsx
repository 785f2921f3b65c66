import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Link, useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import type { ConductEvent } from "../../../../src/base/words/event.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { whyHref } from "../../moments/moment-details.tsx";
import { Button } from "../../ui/button.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { Id } from "../../ui/id.tsx";
import { EmptyState, ErrorState, ErrorText, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Text } from "../../ui/text.tsx";
import type { EditorHandle } from "../rules/code-editor.tsx";
import { Marks } from "../rules/marks.tsx";
import { type AgentRules, editHref, type Standing, standingOf } from "../rules/standing.ts";
import { startText } from "../rules/start-text.ts";
import { useCheck } from "../rules/use-check.ts";
import { Outcome } from "./outcome.tsx";
import style from "./replay.module.css";
import { useReplay } from "./use-replay.ts";

const CodeEditor = lazy(() => import("../rules/code-editor.tsx"));
const LEAD = "How past decisions would change with other rules, or prompts with another contract. Nothing is changed.";
const SINCE = [
  ["24h", "the last day"],
  ["7d", "the last week"],
  ["30d", "the last 30 days"],
  ["365d", "the last year"],
] as const;

/** Replays past sessions with other rules. */
export default function ReplayScreen() {
  const isOperator = useIsOperator();
  if (isOperator) return <Loading />;
  return (
    <Page title="Replay" lead={LEAD}>
      <EmptyState title="Only operators can run replays" action={<Link href="/rules">All rules</Link>}>
        A replay reads every recorded session in full.
      </EmptyState>
    </Page>
  );
}

/** The input comes from the address (a rule, a decision) or from the rule editor. */
function Loading() {
  const search = useSearch();
  const asked = new URLSearchParams(search);
  const decision = asked.get("decision") ?? "";
  const handed = useHistoryState<{ readonly rules?: string } | null>()?.rules;
  const agents = useQuery("GET /api/rules");
  const standing = useQuery("GET /api/rules/standing");
  const why = useQuery("GET /api/decisions/{id}", { params: { id: decision } }, { when: decision !== "" });
  const failed = [agents, standing, ...(decision === "" ? [] : [why])].find(({ state }) => state === "failed");
  const title = "Replay";
  if (failed?.state === "failed")
    return (
      <Page title={title} lead={LEAD}>
        <ErrorState error={failed.error} retry={failed.refresh} />
      </Page>
    );
  if (agents.state !== "ready" || standing.state !== "ready" || (decision !== "" && why.state !== "ready"))
    return (
      <Page title={title} lead={LEAD}>
        <Skeleton lines={16} />
      </Page>
    );
  const events = why.state === "ready" ? why.data.events : [];
  const of = events.find((event) => event.type === "call");
  const given = startOf(asked, of, agents.data.agents, standingOf(standing.data), handed);
  return (
    <Desk
      key={search}
      start={given}
      known={agents.data.known}
      agents={agents.data.agents.map(({ agent }) => agent)}
      decision={decision}
    />
  );
}

/** `run`: the replay starts at once. */
type Start = {
  readonly rules: string;
  readonly agent: string;
  readonly session: string;
  readonly contract: boolean;
  readonly run: boolean;
};

function startOf(
  asked: URLSearchParams,
  event: Extract<ConductEvent, { readonly type: "call" }> | undefined,
  agents: readonly AgentRules[],
  standing: readonly Standing[],
  handed: string | undefined,
): Start {
  const session = event?.session ?? asked.get("session") ?? "";
  const agent = event === undefined ? (asked.get("agent") ?? "") : "";
  const run = asked.get("run") !== null;
  const about = { session, agent, contract: asked.get("contract") !== null, run };
  if (handed !== undefined) return { ...about, rules: handed };
  if (event === undefined) {
    const text = startText(asked, agents, standing);
    // A trial shows what the rule would do if it were enforced.
    return { ...about, rules: run ? text.replace(/^(\s+effect:) shadow$/m, "$1 deny") : text };
  }
  const { decision, call } = event;
  const rule = decision.kind === "allow" ? undefined : decision.rule;
  const known =
    rule !== undefined &&
    (standing.some(({ id }) => id === rule) || agents.some(({ rules }) => rules.some(({ id }) => id === rule)));
  // A policy in code has no text, so offer a rule on the same tool.
  const search = new URLSearchParams(known ? { rule } : { on: call.tool });
  return { ...about, rules: startText(search, agents, standing) };
}

function Desk({
  start,
  known,
  agents,
  decision,
}: {
  readonly start: Start;
  readonly known: readonly string[];
  readonly agents: readonly string[];
  readonly decision: string;
}) {
  const [kind, setKind] = useState<"rules" | "contract">(start.contract ? "contract" : "rules");
  const [text, setText] = useState(start.rules);
  const [how, setHow] = useState<"add" | "replace">("add");
  const [version, setVersion] = useState("");
  const [since, setSince] = useState<string>("30d");
  const [agent, setAgent] = useState(start.agent);
  const [session, setSession] = useState(start.session);
  const check = useCheck(text);
  const [whose, setWhose] = useState("");
  const { now, run: begin, follow, callOff } = useReplay();
  const editor = useRef<EditorHandle>(null);
  const contract = useQuery("GET /api/contract", {}, { when: kind === "contract" });
  const newest = contract.state === "ready" ? contract.data.contract.version : undefined;
  const canRun = kind === "rules" ? check.sound : /^\d+$/.test(version.trim());
  const run = () => {
    if (!canRun || now.state === "running") return;
    const about = { since, agent: agent || undefined, session: session.trim() || undefined };
    const rules = { rules: text, add: how === "add", for: whose || undefined };
    void begin(kind === "rules" ? { ...about, ...rules } : { ...about, contract: Number(version) });
  };
  useHotkeys([{ keys: "mod+Enter", does: "Run replay", run }]);
  const isWaiting = useRef(start.run);
  useEffect(() => {
    if (!isWaiting.current || !canRun) return;
    isWaiting.current = false;
    run();
  });
  return (
    <Page
      title="Replay"
      lead={LEAD}
      actions={
        <Button look="main" busy={now.state === "running"} disabled={!canRun} onClick={run}>
          Run replay
        </Button>
      }
    >
      {decision !== "" && (
        <p>
          Change the rule of <Id id={decision} href={whyHref(decision)} />, then replay its session.
        </p>
      )}
      <div className={style.panes}>
        <Tabs
          label="Change"
          current={kind}
          onChange={setKind}
          tabs={[
            { name: "rules", label: "Rules" },
            { name: "contract", label: "Contract" },
          ]}
        >
          {kind === "rules" ? (
            <div className="stack">
              <Suspense fallback={<Skeleton lines={10} />}>
                <CodeEditor
                  label="Rules to replay"
                  text={text}
                  onChange={setText}
                  marks={check.marks}
                  known={known}
                  handle={editor}
                />
              </Suspense>
              {check.error !== undefined && <ErrorText error={check.error} />}
              <Marks label="Faults" marks={check.marks} onGo={(line, column) => editor.current?.goTo(line, column)} />
              <p className="quiet small">
                {check.sound
                  ? check.checked?.rules.map(({ id, does }) => <Text key={id}>{`${id}: ${does}. `}</Text>)
                  : "…"}
              </p>
              <p className="quiet small">
                Tab indents. Escape, then Tab leaves the editor. Ctrl Space completes, Ctrl Enter runs.
              </p>
            </div>
          ) : (
            <TextField
              label="Contract version"
              inputMode="numeric"
              hint={
                newest === undefined
                  ? "0 is the empty contract."
                  : `0 is the empty contract, ${newest} the current one.`
              }
              value={version}
              onChange={(event) => setVersion(event.target.value)}
            />
          )}
        </Tabs>
        <div className={style.about}>
          {kind === "rules" && (
            <Select
              label="These rules"
              value={how}
              onChange={(event) => setHow(event.target.value as "add" | "replace")}
            >
              <option value="add">in addition to the agents’ own; the same ID replaces a rule</option>
              <option value="replace">instead of the agents’ own rules</option>
            </Select>
          )}
          {kind === "rules" && (
            <Select label="Rules for" value={whose} onChange={(event) => setWhose(event.target.value)}>
              <option value="">every agent</option>
              {agents.map((name) => (
                <option key={name} value={name}>
                  {name} alone
                </option>
              ))}
            </Select>
          )}
          <Select
            label="Since"
            value={since}
            disabled={session !== ""}
            onChange={(event) => setSince(event.target.value)}
          >
            {SINCE.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
          <Select label="Agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
            <option value="">every agent</option>
            {[...new Set([...agents, ...(agent === "" ? [] : [agent])])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
          <TextField
            label="Session"
            placeholder="every session"
            hint="Session ID. Its whole history is replayed."
            value={session}
            onChange={(event) => setSession(event.target.value)}
          />
          {kind === "rules" && (
            <p className="small">
              <Link href={editHref({})} state={{ rules: text }}>
                Try cases, or save these rules
              </Link>
            </p>
          )}
        </div>
      </div>
      <div aria-live="polite" className={style.outcome}>
        <Outcome now={now} again={run} follow={(id) => void follow(id)} callOff={() => void callOff()} />
      </div>
    </Page>
  );
}
