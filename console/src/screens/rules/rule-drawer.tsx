import { Link } from "wouter";
import { useIsOperator } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { sessionHref, whyHref } from "../../moments/links.tsx";
import { Badge } from "../../ui/badge.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Id } from "../../ui/id.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time, Until } from "../../ui/time.tsx";
import { RuleActions } from "./actions/rule-actions.tsx";
import { StandingActions } from "./actions/standing-actions.tsx";
import { type RuleShown, sourceOf } from "./rule-kinds.ts";
import { Status } from "./rule-lists.tsx";
import style from "./rules.module.css";
import { editHref, replayHref, standingOf } from "./standing.ts";

/** A rule: its text and source, what it did, its cases, and what an operator can do with it. */
export function RuleDrawer({
  rule,
  agent,
  rules,
  onClose,
}: {
  readonly rule: string;
  /** Only the rule of this agent, where several agents have a rule of this name. */
  readonly agent: string | null;
  readonly rules: readonly RuleShown[] | undefined;
  readonly onClose: () => void;
}) {
  const named = (rules ?? []).filter(({ id }) => id === rule);
  const ofAgent = named.filter(({ agents }) => agent === null || agents?.includes(agent) !== false);
  const found = ofAgent.length > 0 ? ofAgent : named;
  return (
    <Dialog title={`Rule ${rule}`} open onClose={onClose} look="side">
      {rules === undefined && <Skeleton lines={8} />}
      {rules !== undefined && found.length === 0 && (
        <div className="stack">
          <p>No rule in force has this name. It may have been removed or renamed.</p>
          <Links from={{ on: rule }} />
        </div>
      )}
      {found.map((one) => (
        <Details key={one.key} rule={one} onClose={onClose} />
      ))}
    </Dialog>
  );
}

function Details({ rule, onClose }: { readonly rule: RuleShown; readonly onClose: () => void }) {
  const isOperator = useIsOperator();
  const { kind, agents = [], text, place, count } = rule;
  const [agent = ""] = agents;
  const from: { readonly [key: string]: string } =
    kind === "shared" ? { standing: rule.id } : text === undefined ? { on: rule.id } : { rule: rule.id, agent };
  return (
    <section className="stack" aria-label={`${rule.id}, ${sourceOf(rule)}`}>
      <p className="row">
        <Status of={rule} />
        <Text className="quiet">{sourceOf(rule)}</Text>
        {kind !== "shared" &&
          agents.map((name) => (
            <Link key={name} href={`/agents/${encodeURIComponent(name)}`}>
              <Text>{name}</Text>
            </Link>
          ))}
        {isOperator && kind === "agent" && rule.editable && <Link href={editHref({ agent })}>Edit here</Link>}
      </p>
      <p>
        <Text>{rule.why ?? rule.does}</Text>
      </p>
      {rule.why !== undefined && (
        <p className="quiet small">
          <Text>{rule.does}</Text>
        </p>
      )}
      {text !== undefined && (
        <pre className={style.text}>
          <Text>{text}</Text>
        </pre>
      )}
      <p>{countText(count)}</p>
      {count.examples.length > 0 && (
        <ul aria-label="Newest decisions">
          {count.examples.map(({ decision, session, at }) => (
            <li key={decision} className="row">
              <Id id={decision} href={whyHref(decision)} copy={false} />
              <Id id={session} href={sessionHref(session)} copy={false} short />
              <span className="quiet">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {isOperator && place !== undefined && <Cases rule={rule.id} agent={agents[0]} file={place.file} />}
      <Links from={from} hasText={text !== undefined} />
      {kind === "shared" && <Shared id={rule.id} onClose={onClose} />}
      {isOperator && kind !== "shared" && rule.editable && <RuleActions rule={rule} />}
      {!rule.editable && <p className="quiet small">{unchangeable(rule)}</p>}
    </section>
  );
}

function countText({ blocked, asked, wouldHaveBlocked, sessions, partial }: RuleShown["count"]): string {
  const where = `in ${figure(sessions)} ${sessions === 1 ? "session" : "sessions"}`;
  const part = partial ? ", in the part of the journal that was searched" : "";
  return `In the last 30 days it blocked ${figure(blocked)}, asked about ${figure(asked)} and would have blocked ${figure(wouldHaveBlocked)} more, ${where}${part}.`;
}

function unchangeable({ kind, agents = [] }: RuleShown): string {
  if (kind === "built-in") return "Every agent has this policy. It cannot be changed. You can add stricter rules.";
  if (kind === "policy") return "This policy is defined in code or under policies. Edit it there, or add a rule.";
  if (kind === "elsewhere")
    return `The gateway has no such rule. It belongs to the files of ${agents.join(", ")}; change it there.`;
  return "This agent is defined in code, so its rules are changed there.";
}

/** State and actions of a shared rule, which are stored with the contract. */
function Shared({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const isOperator = useIsOperator();
  const query = useQuery("GET /api/rules/standing");
  const rule = query.state === "ready" ? standingOf(query.data).find((one) => one.id === id) : undefined;
  if (rule === undefined) return null;
  return (
    <>
      <p className="row">
        <span className="quiet">
          {rule.status} since <Time at={rule.since ?? rule.createdAt} />
        </span>
        {rule.until !== undefined && <Until at={rule.until} />}
        <Text className="mono">{rule.scope}</Text>
        {rule.from !== undefined && (
          <span>
            from <Id id={rule.from} href={`/contract?directive=${encodeURIComponent(rule.from)}`} />
          </span>
        )}
      </p>
      {isOperator && <StandingActions rule={rule} onRemoved={onClose} />}
    </>
  );
}

/** The test cases next to the rule's file, run now. */
function Cases({ rule, agent, file }: { readonly rule: string; readonly agent?: string; readonly file: string }) {
  const query = useQuery("GET /api/rules/cases", { query: { rule, agent, file } });
  if (query.state === "loading") return <Skeleton lines={2} />;
  if (query.state === "failed") return null;
  const { cases, file: casesFile } = query.data;
  if (cases.length === 0) return <p className="quiet small">No test case names this rule.</p>;
  return (
    <section aria-label="Cases" className="stack">
      <h3>
        Cases <Text className="quiet small">{casesFile ?? ""}</Text>
      </h3>
      <ul>
        {cases.map(({ name, line, failure }) => (
          <li key={`${line}`}>
            <Badge tone={failure === undefined ? "passed" : "denied"}>
              {failure === undefined ? "passed" : "failed"}
            </Badge>{" "}
            <Text>{name}</Text> <span className="quiet small">line {line}</span>
            {failure !== undefined && (
              <p className="small">
                expected <Text className="mono">{failure.expected}</Text>, got{" "}
                <Text className="mono">{failure.got}</Text>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Links({
  from,
  hasText = false,
}: {
  readonly from: { readonly [key: string]: string };
  readonly hasText?: boolean;
}) {
  const isOperator = useIsOperator();
  if (!isOperator) return null;
  return (
    <p className="row">
      {hasText && <Link href={replayHref({ ...from, run: "1" })}>Try on the last 30 days</Link>}
      <Link href={editHref(from)}>Write a rule from this…</Link>
    </p>
  );
}
