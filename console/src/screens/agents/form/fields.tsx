import { type ReactNode, useState } from "react";
import { Select, TextArea, TextField } from "../../../ui/field.tsx";
import type { Definition, Place } from "./definition.ts";
import { numberOrText, wordsOf, wordsText } from "./text-forms.ts";

/** Shared by all fields: values, changes and faults. */
export type FieldDesk = {
  readonly name: string;
  readonly draft: Definition;
  readonly read: (place: Place) => unknown;
  readonly put: (place: Place, value: unknown) => void;
  /** Faults of a field, at its place or below it. */
  readonly error: (place: Place) => ReactNode;
  /** Faults of an object itself. */
  readonly errorOfWhole: (place: Place) => ReactNode;
  /** Call this when places change, because the faults refer to the old places. */
  readonly forgetFaults: () => void;
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

/** A value edited as text in its own format. The text stays as typed. */
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
  // Update the text after a change from elsewhere: an undo or a newer version.
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

/** Names separated by commas. */
export function Words(at: At) {
  return <Written {...at} show={wordsText} read={wordsOf} />;
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

export function YesNo({ desk, place, label, hint }: At) {
  const value = desk.read(place);
  return (
    <Select
      label={label}
      hint={hint}
      error={desk.error(place)}
      value={value === true ? "yes" : value === false ? "no" : ""}
      onChange={({ target }) => desk.put(place, target.value === "" ? undefined : target.value === "yes")}
    >
      <option value="">not set</option>
      <option value="yes">yes</option>
      <option value="no">no</option>
    </Select>
  );
}

/** Selects an item's kind. Changing it removes the kind's own fields and keeps the common ones. */
export function Kind<K extends string>({
  desk,
  place,
  label,
  kinds,
  fresh,
}: {
  readonly desk: FieldDesk;
  readonly place: Place;
  readonly label: string;
  readonly kinds: readonly (readonly [kind: K, means: string])[];
  readonly fresh: (kind: K) => unknown;
}) {
  const names = kinds.map(([kind]) => kind);
  const item = (desk.read(place) ?? {}) as Definition;
  const current = kindOf(item, names);
  const change = (next: K) => {
    const shared = Object.entries(item).filter(([key]) => !names.some((kind) => kind === key));
    desk.put(place, { ...Object.fromEntries(shared), [next]: fresh(next) });
    desk.forgetFaults();
  };
  return (
    <Select label={label} value={current ?? ""} onChange={(event) => change(event.target.value as K)}>
      {current === undefined && <option value="">choose one</option>}
      {kinds.map(([kind, means]) => (
        <option key={kind} value={kind}>
          {means}
        </option>
      ))}
    </Select>
  );
}

export function kindOf<K extends string>(item: unknown, kinds: readonly K[]): K | undefined {
  return kinds.find((kind) => typeof item === "object" && item !== null && Object.hasOwn(item, kind));
}
