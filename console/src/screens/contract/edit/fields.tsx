import { useId, useState } from "react";
import type { DirectiveCheck, DirectiveType } from "../../../../../src/base/words/contract.ts";
import { CHANNELS } from "../../../data/channels.ts";
import { useQuery } from "../../../data/use-query.ts";
import { Chip } from "../../../ui/button.tsx";
import { Select, TextField } from "../../../ui/field.tsx";
import { useNow } from "../../../ui/time.tsx";
import style from "../contract.module.css";
import { KINDS, kindOf, nameOf, SCOPE_KINDS } from "../words.ts";
import { CHECKS, checkText, kindOfCheck, readCheck, spanText, withAmount } from "./check-form.ts";

export function KindField({
  type,
  onChange,
}: {
  readonly type: DirectiveType;
  readonly onChange: (type: DirectiveType) => void;
}) {
  return (
    <fieldset>
      <legend className={style.legend}>Kind</legend>
      <div className="row">
        {KINDS.map((one) => (
          <Chip key={one.type} on={one.type === type} title={one.means} onClick={() => onChange(one.type)}>
            {one.type.toUpperCase()}
          </Chip>
        ))}
      </div>
      <p className="quiet small">{KINDS.find((one) => one.type === type)?.means}</p>
    </fieldset>
  );
}

/** Splits `STOP: long reports`, typed as a whole, into kind and text. */
export function splitLine(text: string): { readonly type?: DirectiveType; readonly text: string } {
  const [, word = "", rest = ""] = /^\s*(KEEP|MORE|LESS|STOP|START):\s(.*)$/s.exec(text) ?? [];
  const type = KINDS.find((one) => one.type === word.toLowerCase())?.type;
  return type === undefined ? { text } : { type, text: rest };
}

const SCOPE_NAMES = { global: "Everybody", agent: "One agent", channel: "One channel", user: "One user" } as const;

/** Selects the scope. `users`: only operators may list the users. */
export function ScopeField({
  scope,
  onChange,
}: {
  readonly scope: string;
  readonly onChange: (scope: string) => void;
}) {
  const kind = kindOf(scope);
  const agents = useAgentNames();
  const users = useQuery("GET /api/users", { query: { limit: 200 } }, { when: kind === "user" });
  const list = useId();
  const known =
    kind === "channel"
      ? CHANNELS
      : kind === "user" && users.state === "ready"
        ? users.data.users.map(({ id }) => id)
        : kind === "agent"
          ? agents
          : [];
  return (
    <div className={style.pair}>
      <Select
        label="Scope"
        value={kind}
        onChange={({ target: { value } }) =>
          onChange(value === "global" ? "global" : `${value}:${value === "agent" ? (agents[0] ?? "") : ""}`)
        }
      >
        {SCOPE_KINDS.map((one) => (
          <option key={one} value={one}>
            {SCOPE_NAMES[one]}
          </option>
        ))}
      </Select>
      {kind !== "global" && (
        <>
          <TextField
            label={`Name of the ${kind}`}
            list={list}
            value={nameOf(scope)}
            onChange={({ target: { value } }) => onChange(`${kind}:${value.trim()}`)}
          />
          <datalist id={list}>
            {known.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </div>
  );
}

export function useAgentNames(): readonly string[] {
  const agents = useQuery("GET /api/agents");
  return agents.state === "ready" ? agents.data.agents.map(({ name }) => name) : [];
}

const DAY = 86_400_000;
const ENDS: readonly (readonly [name: string, ms: number])[] = [
  ["in a day", DAY],
  ["in 3 days", 3 * DAY],
  ["in a week", 7 * DAY],
  ["in 30 days", 30 * DAY],
];

/** Selects a future time, as ISO 8601 in UTC; empty for none. */
export function EndField({
  label,
  none,
  first,
  value,
  onChange,
}: {
  readonly label: string;
  /** Label for no end. Without it, an end is required. */
  readonly none?: string;
  /** Initial choice for `value`; a custom time by default. */
  readonly first?: "in a week";
  readonly value: string;
  readonly onChange: (iso: string) => void;
}) {
  const now = useNow();
  const [choice, setChoice] = useState<string>(value === "" ? "" : (first ?? "at"));
  const after = (ms: number) => new Date(Math.floor((now + ms) / 60_000) * 60_000).toISOString();
  return (
    <div className={style.pair}>
      <Select
        label={label}
        value={choice}
        onChange={({ target: { value: chosen } }) => {
          setChoice(chosen);
          const found = ENDS.find(([name]) => name === chosen);
          onChange(found !== undefined ? after(found[1]) : chosen === "" ? "" : after(DAY));
        }}
      >
        {none !== undefined && <option value="">{none}</option>}
        {ENDS.map(([name]) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        <option value="at">at a set time</option>
      </Select>
      {choice === "at" && (
        <TextField
          label="Your local time"
          type="datetime-local"
          value={localTime(value)}
          onChange={({ target: { value: local } }) => {
            const ms = Date.parse(local);
            if (!Number.isNaN(ms)) onChange(new Date(ms).toISOString());
          }}
        />
      )}
    </div>
  );
}

/** Formats the time for `datetime-local`: in the browser's zone, without an offset. */
function localTime(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Edits the check of a directive, with a form or as text. */
export function CheckField({
  check,
  onChange,
}: {
  readonly check: string;
  readonly onChange: (check: string) => void;
}) {
  const kind = kindOfCheck(check);
  const read = readCheck(check);
  const build = (next: DirectiveCheck) => onChange(checkText(next));
  return (
    <fieldset className={style.check}>
      <legend className={style.legend}>Check</legend>
      <Select
        label="Check"
        hideLabel
        value={kind ?? ""}
        onChange={({ target: { value } }) => onChange(CHECKS.find((one) => one.kind === value)?.first ?? "")}
      >
        <option value="">None</option>
        {CHECKS.map((one) => (
          <option key={one.kind} value={one.kind}>
            {one.name}
          </option>
        ))}
      </Select>
      {(read?.kind === "length" || read?.kind === "cadence") && <AmountFields check={read} onChange={build} />}
      {read?.kind === "order" && (
        <div className={style.pair}>
          <TextField
            label="First tool"
            value={read.first}
            onChange={({ target: { value } }) => onChange(`order: ${value.trim()} before ${read.later}`)}
          />
          <TextField
            label="Later tool"
            value={read.later}
            onChange={({ target: { value } }) => onChange(`order: ${read.first} before ${value.trim()}`)}
          />
        </div>
      )}
      {check !== "" && (
        <TextField
          label="Check expression"
          className="mono"
          spellCheck={false}
          value={check}
          onChange={({ target: { value } }) => onChange(value)}
          hint={
            kind === "reply"
              ? "A CEL expression over text, words, lines and characters. It must be true for every reply."
              : "A check only measures. Agents do not see it."
          }
        />
      )}
    </fieldset>
  );
}

function AmountFields({
  check,
  onChange,
}: {
  readonly check: Extract<DirectiveCheck, { readonly kind: "length" | "cadence" }>;
  readonly onChange: (check: DirectiveCheck) => void;
}) {
  const bound = check.atMost === undefined ? "at least" : "at most";
  const amount = check.atMost ?? check.atLeast ?? 0;
  return (
    <div className={style.pair}>
      <Select
        label="Bound"
        value={bound}
        onChange={({ target: { value } }) =>
          onChange(withAmount(check, value === "at most" ? value : "at least", amount))
        }
      >
        <option>at most</option>
        <option>at least</option>
      </Select>
      <TextField
        label="How many"
        type="number"
        min={0}
        max={9_999_999}
        value={amount}
        onChange={({ target: { value } }) =>
          onChange(withAmount(check, bound, Math.max(0, Math.trunc(Number(value)) || 0)))
        }
      />
      {check.kind === "length" ? (
        <Select
          label="Unit"
          value={check.unit}
          onChange={({ target: { value } }) => onChange({ ...check, unit: value as typeof check.unit })}
        >
          <option>words</option>
          <option>characters</option>
          <option>lines</option>
        </Select>
      ) : (
        <Select
          label="Period"
          value={check.withinMs ?? 0}
          onChange={({ target: { value } }) => {
            const { withinMs: _, ...rest } = check;
            onChange(value === "0" ? rest : { ...rest, withinMs: Number(value) });
          }}
        >
          {[...new Set([0, 60_000, 300_000, 3_600_000, check.withinMs ?? 0])].map((ms) => (
            <option key={ms} value={ms}>
              {ms === 0 ? "a turn" : spanText(ms)}
            </option>
          ))}
        </Select>
      )}
    </div>
  );
}
