import { useState } from "react";
import { useLocation } from "wouter";
import { Section } from "../../app/page.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { ErrorText, Skeleton } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { FaultList } from "./actions/fault-list.tsx";
import style from "./rules.module.css";
import { type AgentRules, SPANS, untilOf } from "./standing.ts";
import type { Check } from "./use-check.ts";

type Saving = { readonly text: string; readonly check: Check };

/** Saves the rules as a shared rule (in shadow mode first) or in an agent's own definition. */
export function SavePanel({
  text,
  check,
  own,
  agents,
}: Saving & { readonly own: string | null; readonly agents: readonly AgentRules[] }) {
  const [place, setPlace] = useState(own ?? "");
  // The version when the text was loaded, so that later saves of others are not overwritten.
  const [since] = useState(() => agents.find(({ agent }) => agent === own)?.version);
  // Agents defined in code have no definition to save rules in.
  const kept = agents.filter(({ version }) => version > 0).map(({ agent }) => agent);
  return (
    <aside className={style.save}>
      <Section title="Save">
        <Select label="Save as" value={place} onChange={(event) => setPlace(event.target.value)}>
          <option value="">a shared rule, in shadow mode first</option>
          {kept.map((agent) => (
            <option key={agent} value={agent}>
              rules of {agent}
            </option>
          ))}
        </Select>
        {place === "" ? (
          <SaveStanding text={text} check={check} agents={agents.map(({ agent }) => agent)} />
        ) : (
          <SaveOwn key={place} check={check} agent={place} since={place === own ? since : undefined} />
        )}
      </Section>
    </aside>
  );
}

function SaveStanding({ text, check, agents }: Saving & { readonly agents: readonly string[] }) {
  const write = useWrite("POST /api/rules/standing");
  const tell = useToast();
  const [, go] = useLocation();
  const [scope, setScope] = useState("global");
  const [span, setSpan] = useState<string>(SPANS[0].name);
  const count = check.checked?.rules.length ?? 0;
  const why = !check.sound
    ? "Fix the faults first."
    : count !== 1
      ? `A shared rule is saved alone; this file has ${count}.`
      : undefined;
  const save = async () => {
    const outcome = await write.run({ body: { text, scope, ...untilOf(span) } });
    if (!outcome.ok) return;
    const id = String(outcome.value.rule.id);
    tell(`${id} is in shadow mode: it counts calls and blocks nothing`, { tone: "passed" });
    go(`/rules?rule=${encodeURIComponent(id)}`);
  };
  return (
    <>
      <Select label="Scope" value={scope} onChange={(event) => setScope(event.target.value)}>
        <option value="global">every agent</option>
        {agents.map((agent) => (
          <option key={agent} value={`agent:${agent}`}>
            the agent {agent}
          </option>
        ))}
      </Select>
      <Select label="Shadow mode" value={span} onChange={(event) => setSpan(event.target.value)}>
        {SPANS.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      {write.error !== undefined && <ErrorText error={write.error} />}
      <Button look="main" disabled={why !== undefined} busy={write.pending} onClick={() => void save()}>
        Save rule
      </Button>
      <p className="quiet small">
        {why ?? "The rule blocks calls once you enforce it, from the next turn of every session."}
      </p>
    </>
  );
}

/** `since`: the text replaces all of the agent's own rules of that version. Without it, the rules are added. */
function SaveOwn({
  check,
  agent,
  since,
}: {
  readonly check: Check;
  readonly agent: string;
  readonly since: number | undefined;
}) {
  const isWhole = since !== undefined;
  const query = useQuery("GET /api/agents/{name}", { params: { name: agent } });
  const write = useWrite("PUT /api/agents/{name}");
  const tell = useToast();
  const [, go] = useLocation();
  const [reason, setReason] = useState("");
  if (query.state === "failed") return <ErrorText error={query.error} />;
  if (query.state === "loading") return <Skeleton lines={4} />;
  const { definition = {}, version } = query.data;
  const save = async () => {
    const next = withRules(definition, check.checked?.written ?? {}, isWhole);
    const outcome = await write.run({
      params: { name: agent },
      body: { definition: next, after: since ?? version, reason: reason.trim() },
    });
    if (!outcome.ok) return;
    tell(`Version ${outcome.value.version} of ${agent} is in force from the next turn`, { tone: "passed" });
    go("/rules");
  };
  return (
    <>
      <p className="quiet small">
        {isWhole
          ? "This text replaces the rules and actions in the definition. Rule files and packs stay."
          : "These rules and actions are added to the definition. A rule with the same ID is replaced."}
      </p>
      <TextField
        label="Reason"
        hint="Saved with the version, under your name."
        value={reason}
        maxLength={500}
        onChange={(event) => setReason(event.target.value)}
      />
      {write.error !== undefined && <ErrorText error={write.error} />}
      <FaultList error={write.error} />
      <Button
        look="main"
        disabled={!check.sound || reason.trim() === ""}
        busy={write.pending}
        onClick={() => void save()}
      >
        Save version {version + 1}
      </Button>
      <p className="quiet small">
        {!check.sound
          ? "Fix the faults first."
          : reason.trim() === ""
            ? "Enter a reason to save."
            : "Takes effect at the next turn of every session. You can roll back to an earlier version."}
      </p>
    </>
  );
}

type Data = Readonly<Record<string, unknown>>;

/** Returns the definition with these rules and actions. References to rule files stay unchanged. */
function withRules(definition: Data, written: Data, isWhole: boolean): Record<string, unknown> {
  const before = Array.isArray(definition.rules) ? (definition.rules as readonly unknown[]) : [];
  const rules = Array.isArray(written.rules) ? (written.rules as readonly unknown[]) : [];
  const given = new Set(rules.map(idOf));
  const kept = before.filter((one) => typeof one === "string" || (!isWhole && !given.has(idOf(one))));
  const { actions: ownActions, rules: _rules, ...rest } = definition;
  const actions = { ...(isWhole ? {} : (ownActions as Data | undefined)), ...(written.actions as Data | undefined) };
  const all = [...kept, ...rules];
  return {
    ...rest,
    ...(Object.keys(actions).length === 0 ? {} : { actions }),
    ...(all.length === 0 ? {} : { rules: all }),
  };
}

function idOf(rule: unknown): unknown {
  return typeof rule === "object" && rule !== null && "id" in rule ? rule.id : undefined;
}
