import { useState } from "react";
import { Link } from "wouter";
import { Section } from "../../app/page.tsx";
import { RuleLink } from "../../moments/moment-details.tsx";
import { Select, TextArea } from "../../ui/field.tsx";
import { Text } from "../../ui/text.tsx";
import { editHref } from "../rules/standing.ts";
import style from "./agents.module.css";
import {
  type Definition,
  pathsOf,
  pathsText,
  restOf,
  tagsOf,
  tagsText,
  withRest,
  wordsOf,
  wordsText,
} from "./definition.ts";
import type { Fault } from "./faults.ts";
import { Choice, type FieldDesk, Line, Lines, Many, Written } from "./form-fields.tsx";

export function Who({ desk }: { readonly desk: FieldDesk }) {
  const legacy = desk.draft.system_prompt;
  return (
    <Section title="Who it is">
      <div className={style.fields}>
        <Line desk={desk} place={["identity", "name"]} label="Name" />
        <Line desk={desk} place={["identity", "vibe"]} label="Vibe" hint="How it comes across: dry, precise." />
        <Line desk={desk} place={["identity", "description"]} label="Description" />
        <Line desk={desk} place={["model"]} label="Model" hint="provider/model; the gateway's own unless set" />
        <Choice desk={desk} place={["runtime"]} label="Runtime" hint="pi unless set" options={["pi", "claude"]} />
      </div>
      <Lines
        desk={desk}
        place={["soul"]}
        label="Soul"
        hint="What it is at heart: a text, or the path of one (./soul.md)."
        rows={6}
      />
      {typeof legacy === "string" && (
        <p className={style.note}>
          <span aria-hidden="true">! </span>This definition has <code>system_prompt</code>, an older name: it is taken
          as the soul.
        </p>
      )}
    </Section>
  );
}

export function Lists({ desk }: { readonly desk: FieldDesk }) {
  return (
    <>
      <Many
        desk={desk}
        place={["promptContributors"]}
        title="Contributors"
        empty="A contributor gives a section of the prompt, for every session or for those with one of its tags."
        addLabel="Add a contributor"
        fresh={{ id: "", content: "" }}
      >
        {(at) => (
          <>
            <div className={style.fields}>
              <Line desk={desk} place={[...at, "id"]} label="Id" />
              <Line desk={desk} place={[...at, "heading"]} label="Heading" />
              <Written
                desk={desk}
                place={[...at, "tags"]}
                label="Tags"
                hint="topic:coding, channel:telegram"
                show={tagsText}
                read={tagsOf}
              />
              <Line
                desk={desk}
                place={[...at, "priority"]}
                label="Priority"
                hint="lower comes earlier; 100 unless set"
                isAmount
              />
              <Choice desk={desk} place={[...at, "zone"]} label="Zone" options={["static", "session", "turn"]} />
            </div>
            <Lines desk={desk} place={[...at, "content"]} label="Content" />
          </>
        )}
      </Many>
      <Many
        desk={desk}
        place={["tools"]}
        title="Tools"
        empty="Without any, it has what its runtime brings."
        addLabel="Add a tool"
        fresh={{ name: "" }}
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "name"]} label="Tool" />
            <Line desk={desk} place={[...at, "description"]} label="What it does" />
            <Choice
              desk={desk}
              place={[...at, "risk"]}
              label="Risk"
              hint="high: elevated sessions only"
              options={["low", "high"]}
            />
            <Written
              desk={desk}
              place={[...at, "args"]}
              label="Arguments"
              hint="path, content"
              show={wordsText}
              read={wordsOf}
            />
            <Written
              desk={desk}
              place={[...at, "paths"]}
              label="Files it touches"
              hint="path: read"
              show={pathsText}
              read={pathsOf}
            />
            <Written
              desk={desk}
              place={[...at, "prerequisites"]}
              label="Needs before it"
              hint="tools or actions, in this session"
              show={wordsText}
              read={wordsOf}
            />
          </div>
        )}
      </Many>
    </>
  );
}

export function Rules({ desk }: { readonly desk: FieldDesk }) {
  const value = desk.read(["rules"]);
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const own = all.filter((one) => typeof one !== "string");
  const files = all.filter((one) => typeof one === "string");
  return (
    <Section title="Rules" actions={<Link href={editHref({ agent: desk.name })}>edit its own rules…</Link>}>
      <TextArea
        label="Rule files and packs, one on each line"
        hint="packs/coding, packs/ops and packs/support-desk come with Conduct; others lie beside conduct.yaml."
        error={desk.error(["rules"])}
        rows={Math.max(2, files.length + 1)}
        value={files.join("\n")}
        onChange={(event) => desk.put(["rules"], [...event.target.value.split("\n"), ...own])}
      />
      <p className="row">
        <span className="quiet">Its own:</span>
        {own.length === 0 ? (
          <span className="quiet">none</span>
        ) : (
          own.map((one) => {
            const id = idText(one);
            return <RuleLink key={id} rule={id} />;
          })
        )}
      </p>
    </Section>
  );
}

function idText(rule: unknown): string {
  const { id, toolName } = rule as { readonly id?: unknown; readonly toolName?: unknown };
  return typeof id === "string" ? id : `${String(toolName)}-prerequisites`;
}

const LIMITS: readonly (readonly [key: string, label: string, hint: string])[] = [
  ["tokens", "Tokens", "of a session"],
  ["inputTokens", "Input tokens", ""],
  ["outputTokens", "Output tokens", ""],
  ["calls", "Calls", ""],
  ["cost", "Cost", "in dollars"],
  ["time", "Time", "30m"],
  ["deadline", "Deadline", "from the start; the agent is told"],
  ["window", "Window", "of the model, in tokens"],
  ["toolResultShare", "Share of one result", "of the window: 0.3"],
  ["turnResultShare", "Share of a turn's results", "of the window"],
  ["stops", "Refused stops", "in one turn"],
  ["gather", "Time to look things up", "2s"],
  ["check", "Time of one policy", "1s"],
  ["completion", "Time of the completion check", "60s"],
];

export function Limits({ desk }: { readonly desk: FieldDesk }) {
  const command = desk.read(["completion", "command"]);
  const isLong = typeof command === "object" && command !== null;
  const any = desk.read(["completion", "any"]) === true;
  return (
    <>
      <Section title="Completion">
        <p className="quiet">What must be true before it may stop.</p>
        <div className={style.fields}>
          <Written
            desk={desk}
            place={["completion", "files"]}
            label="Files that must exist"
            hint="report.md"
            show={wordsText}
            read={wordsOf}
          />
          <Written
            desk={desk}
            place={["completion", "evidence"]}
            label="Must have succeeded"
            hint="actions or tools"
            show={wordsText}
            read={wordsOf}
          />
          <Line
            desk={desk}
            place={isLong ? ["completion", "command", "run"] : ["completion", "command"]}
            label="A command that must exit with 0"
          />
          <Select
            label="How many of these"
            value={any ? "any" : "all"}
            error={desk.error(["completion", "any"])}
            onChange={(event) => desk.put(["completion", "any"], event.target.value === "any" ? true : undefined)}
          >
            <option value="all">all of them</option>
            <option value="any">one is enough</option>
          </Select>
        </div>
      </Section>
      <Section title="Limits">
        <div className={style.limits}>
          {LIMITS.map(([key, label, hint]) => (
            <Line
              key={key}
              desk={desk}
              place={["limits", key]}
              label={label}
              {...(hint === "" ? {} : { hint })}
              isAmount
            />
          ))}
        </div>
      </Section>
    </>
  );
}

/** All that has no field: sections, actions, policies, feedback and the like, as JSON. */
export function Rest({
  desk,
  faults,
  version,
  onChange,
  onBroken,
}: {
  readonly desk: FieldDesk;
  readonly faults: readonly Fault[];
  readonly version: number;
  readonly onChange: (change: (before: Definition) => Definition) => void;
  readonly onBroken: (broken: boolean) => void;
}) {
  const shown = JSON.stringify(restOf(desk.draft), null, 2);
  const [typed, setTyped] = useState<{ readonly text: string; readonly of: string; readonly version: number }>({
    text: shown,
    of: shown,
    version,
  });
  const text = typed.version === version && typed.of === shown ? typed.text : shown;
  const [error, setError] = useState<string | undefined>(undefined);
  const change = (next: string) => {
    const read = readMap(next);
    const message = read === undefined ? "This is no JSON object." : undefined;
    setError(message);
    onBroken(message !== undefined);
    if (read === undefined) {
      setTyped({ text: next, of: shown, version });
      return;
    }
    setTyped({ text: next, of: JSON.stringify(restOf(withRest(desk.draft, read)), null, 2), version });
    onChange((before) => withRest(before, read));
  };
  return (
    <Section title="Everything else">
      <TextArea
        label="Sections, actions, policies, feedback and the rest, as JSON"
        hint="docs/configuration.md says what may stand here."
        error={
          error ??
          (faults.length === 0 ? undefined : (
            <Text>
              {faults
                .map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? "" : ` → ${hint}`}`)
                .join("\n")}
            </Text>
          ))
        }
        className="mono"
        spellCheck={false}
        rows={Math.min(24, Math.max(3, text.split("\n").length))}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </Section>
  );
}

function readMap(text: string): Definition | undefined {
  try {
    const read: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Definition) : undefined;
  } catch {
    return undefined;
  }
}
