import { type ReactNode, useState } from "react";
import { Section } from "../../app/page.tsx";
import { Button } from "../../ui/button.tsx";
import { Select, TextArea, TextField } from "../../ui/field.tsx";
import style from "./agents.module.css";
import { type Definition, numberOrText, type Place } from "./definition.ts";

/** What every field needs: its value, how to change it, and what is wrong with it. */
export type FieldDesk = {
  readonly name: string;
  readonly draft: Definition;
  readonly read: (place: Place) => unknown;
  readonly put: (place: Place, value: unknown) => void;
  readonly error: (place: Place) => ReactNode;
};

type At = { readonly desk: FieldDesk; readonly place: Place; readonly label: string; readonly hint?: string };

export function Line({ desk, place, label, hint, isAmount = false }: At & { readonly isAmount?: boolean }) {
  const value = desk.read(place);
  return (
    <TextField
      label={label}
      hint={hint}
      error={desk.error(place)}
      value={value === undefined || value === null ? "" : String(value)}
      onChange={(event) => desk.put(place, isAmount ? numberOrText(event.target.value) : event.target.value)}
    />
  );
}

export function Lines({ desk, place, label, hint, rows = 3 }: At & { readonly rows?: number }) {
  const value = desk.read(place);
  return (
    <TextArea
      label={label}
      hint={hint}
      error={desk.error(place)}
      rows={rows}
      value={typeof value === "string" ? value : ""}
      onChange={(event) => desk.put(place, event.target.value)}
    />
  );
}

/** A value that is written as a text of its own form; what is typed stays as it is typed. */
export function Written({
  desk,
  place,
  label,
  hint,
  show,
  read,
  long = false,
}: At & {
  readonly show: (value: unknown) => string;
  readonly read: (text: string) => unknown;
  readonly long?: boolean;
}) {
  const value = desk.read(place);
  const [typed, setTyped] = useState({ text: show(value), of: JSON.stringify(value ?? null) });
  // Changed elsewhere, by an undo or a newer version: what is shown follows.
  const now = JSON.stringify(value ?? null);
  const text = typed.of === now ? typed.text : show(value);
  const change = (next: string) => {
    const given = read(next);
    setTyped({ text: next, of: JSON.stringify(given ?? null) });
    desk.put(place, given);
  };
  const shared = { label, hint, error: desk.error(place), value: text };
  return long ? (
    <TextArea {...shared} onChange={(event) => change(event.target.value)} />
  ) : (
    <TextField {...shared} onChange={(event) => change(event.target.value)} />
  );
}

export function Choice({ desk, place, label, hint, options }: At & { readonly options: readonly string[] }) {
  const value = desk.read(place);
  return (
    <Select
      label={label}
      hint={hint}
      error={desk.error(place)}
      value={typeof value === "string" ? value : ""}
      onChange={(event) => desk.put(place, event.target.value)}
    >
      <option value="">not set</option>
      {options.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  );
}

/** Things of which there may be several; each is a small form. */
export function Many({
  desk,
  place,
  title,
  empty,
  addLabel,
  fresh,
  children,
}: {
  readonly desk: FieldDesk;
  readonly place: Place;
  readonly title: string;
  readonly empty: string;
  readonly addLabel: string;
  readonly fresh: unknown;
  readonly children: (at: Place) => ReactNode;
}) {
  const value = desk.read(place);
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <Section
      title={`${title} (${items.length})`}
      actions={<Button onClick={() => desk.put(place, [...items, fresh])}>{addLabel}</Button>}
    >
      {items.length === 0 && <p className="quiet">{empty}</p>}
      {items.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is known by its place, as its faults are
        <fieldset key={at} className={style.item}>
          <legend className="unseen">{`${title} ${at + 1}`}</legend>
          {children([...place, at])}
          <Button
            look="link"
            onClick={() =>
              desk.put(
                place,
                items.filter((_one, other) => other !== at),
              )
            }
          >
            Take it out
          </Button>
        </fieldset>
      ))}
    </Section>
  );
}
