import { useState } from "react";
import { Section } from "../../../app/page.tsx";
import { TextArea } from "../../../ui/field.tsx";
import { Text } from "../../../ui/text.tsx";
import { type Definition, restOf, withRest } from "./definition.ts";
import type { Fault } from "./faults.ts";
import type { FieldDesk } from "./fields.tsx";

/** Edits unknown keys (of an older or newer Conduct) as JSON. Renders nothing if there are none. */
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
    const message = read === undefined ? "This is not a JSON object." : undefined;
    setError(message);
    onBroken(message !== undefined);
    if (read === undefined) {
      setTyped({ text: next, of: shown, version });
      return;
    }
    setTyped({ text: next, of: JSON.stringify(restOf(withRest(desk.draft, read)), null, 2), version });
    onChange((before) => withRest(before, read));
  };
  if (shown === "{}" && text === "{}" && faults.length === 0) return null;
  return (
    <Section title="Other settings">
      <TextArea
        label="Settings without a field, as JSON"
        hint="See docs/reference/configuration.md for all settings."
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
