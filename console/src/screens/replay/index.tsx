import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Link, useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import type { ConductEvent } from "../../../../src/base/words/event.ts";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page, Section } from "../../app/page.tsx";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
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
import style from "./replay.module.css";
import { ContractReport, type Replayed, RulesReport } from "./report-view.tsx";

const CodeEditor = lazy(() => import("../rules/code-editor.tsx"));
const LEAD =
  "What would have been decided on recorded sessions under other rules, or said under another contract. Nothing is written.";
const SINCE = [
  ["24h", "the last day"],
  ["7d", "the last week"],
  ["30d", "the last 30 days"],
  ["365d", "the last year"],
] as const;

/** The past decided anew. */
export default function ReplayScreen() {
  const isOperator = useIsOperator();
  if (isOperator) return <Loading />;
  return (
    <Page title="Replay" lead={LEAD}>
      <EmptyState title="Only operators replay" action={<Link href="/rules">All rules</Link>}>
        A replay reads every recorded session in full.
      </EmptyState>
    </Page>
  );
}

/** What is replayed stands in the address (a rule, a decision) or was handed over by the editor. */
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
  const events = why.state === "ready" ? (why.data.events as unknown as readonly ConductEvent[]) : [];
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

type Start = { readonly rules: string; readonly agent: string; readonly session: string; readonly contract: boolean };

function startOf(
  asked: URLSearchParams,
  event: Extract<ConductEvent, { readonly type: "call" }> | undefined,
  agents: readonly AgentRules[],
  standing: readonly Standing[],
  handed: string | undefined,
): Start {
  const session = event?.session ?? asked.get("session") ?? "";
  const agent = event === undefined ? (asked.get("agent") ?? "") : "";
  const about = { session, agent, contract: asked.get("contract") !== null };
  if (handed !== undefined) return { ...about, rules: handed };
  if (event === undefined) return { ...about, rules: startText(asked, agents, standing) };
  const { decision, call } = event;
  const rule = decision.kind === "allow" ? undefined : decision.rule;
  const known =
    rule !== undefined &&
    (standing.some(({ id }) => id === rule) || agents.some(({ rules }) => rules.some(({ id }) => id === rule)));
  // A policy in code has no text: a rule on the same tool is what can be changed.
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
  const write = useWrite("POST /api/replay");
  const [ran, setRan] = useState<Replayed | undefined>(undefined);
  const editor = useRef<EditorHandle>(null);
  const contract = useQuery("GET /api/contract", {}, { when: kind === "contract" });
  const newest = contract.state === "ready" ? contract.data.contract.version : undefined;
  const canRun = kind === "rules" ? check.sound : /^\d+$/.test(version.trim());
  const run = async () => {
    if (!canRun || write.pending) return;
    const about = {
      since,
      ...(agent === "" ? {} : { agent }),
      ...(session.trim() === "" ? {} : { session: session.trim() }),
    };
    const outcome = await write.run({
      body: kind === "rules" ? { ...about, rules: text, add: how === "add" } : { ...about, contract: Number(version) },
    });
    if (outcome.ok) setRan(outcome.value as unknown as Replayed);
  };
  useHotkeys([{ keys: "mod+Enter", does: "Run the replay", run: () => void run() }]);
  return (
    <Page
      title="Replay"
      lead={LEAD}
      actions={
        <Button look="main" busy={write.pending} disabled={!canRun} onClick={() => void run()}>
          Run the replay
        </Button>
      }
    >
      {decision !== "" && (
        <p>
          Change the rule behind <Id id={decision} href={whyHref(decision)} />, and run its session again.
        </p>
      )}
      <div className={style.panes}>
        <Tabs
          label="What changes"
          current={kind}
          onChange={setKind}
          tabs={[
            { name: "rules", label: "Other rules" },
            { name: "contract", label: "Another contract" },
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
              <Marks
                label="What is wrong"
                marks={check.marks}
                onGo={(line, column) => editor.current?.goTo(line, column)}
              />
              <p className="quiet small">
                {check.sound
                  ? check.checked?.rules.map(({ id, does }) => <Text key={id}>{`${id}: ${does}. `}</Text>)
                  : "…"}
              </p>
              <p className="quiet small">
                Tab indents; Escape, then Tab leaves the text. Ctrl Space completes, Ctrl Enter runs.
              </p>
            </div>
          ) : (
            <TextField
              label="Version of the contract"
              inputMode="numeric"
              hint={newest === undefined ? "0 is the empty one." : `0 is the empty one, ${newest} the one in force.`}
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
              <option value="add">beside the agents’ own, in place of those with the same id</option>
              <option value="replace">in place of all the agents’ own rules</option>
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
            hint="Its id; then its whole history counts."
            value={session}
            onChange={(event) => setSession(event.target.value)}
          />
          {kind === "rules" && (
            <p className="small">
              <Link href={editHref({})} state={{ rules: text }}>
                try cases, or save this
              </Link>
            </p>
          )}
        </div>
      </div>
      <div aria-live="polite" className={style.outcome}>
        {write.pending ? (
          <Running />
        ) : write.error !== undefined ? (
          <ErrorState error={write.error} title="It could not be replayed" retry={() => void run()} />
        ) : ran === undefined ? (
          <EmptyState title="Nothing has been replayed yet">
            <p>
              Every recorded decision of the sessions you choose is made again, from what was recorded and nothing else:
              no tool runs, no model is asked. What would have been decided otherwise stands here with the rule that is
              behind it.
            </p>
          </EmptyState>
        ) : ran.kind === "rules" ? (
          <RulesReport {...ran} />
        ) : (
          <ContractReport {...ran} />
        )}
      </div>
    </Page>
  );
}

/** The gateway tells when it is done; until then only the time can be shown. */
function Running() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((now) => now + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Section title="Deciding anew …">
      <progress className={style.progress} aria-label="Replay under way" />
      <p className="quiet" aria-hidden="true">
        {seconds} s; after 120 s it is called off
      </p>
      <Text className="unseen">The replay is under way.</Text>
    </Section>
  );
}
