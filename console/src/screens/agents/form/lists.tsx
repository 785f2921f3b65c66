import { type ReactNode, useEffect, useRef, useState } from "react";
import { Section } from "../../../app/page.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import style from "../agents.module.css";
import type { Definition, Place } from "./definition.ts";
import type { FieldDesk } from "./fields.tsx";

type ListOf = {
  readonly desk: FieldDesk;
  readonly place: Place;
  /** Name of one item: `Tool`. */
  readonly one: string;
  readonly empty: string;
  readonly children: (at: Place) => ReactNode;
};

/** An ordered list; each item is a small form. */
export function Many({ title, fresh, ...list }: ListOf & { readonly title: string; readonly fresh: unknown }) {
  const items = itemsAt(list.desk, list.place);
  return (
    <Section title={`${title} (${items.length})`} actions={<AddButton {...list} fresh={fresh} />}>
      <Items {...list} />
    </Section>
  );
}

/** The same for a list inside an item. */
export function ManyWithin({ title, fresh, ...list }: ListOf & { readonly title: string; readonly fresh: unknown }) {
  return (
    <div className={style.within}>
      <div className="row">
        <span className="grow quiet small">{title}</span>
        <AddButton {...list} fresh={fresh} />
      </div>
      <Items {...list} />
    </div>
  );
}

function AddButton({ desk, place, one, fresh }: Omit<ListOf, "children" | "empty"> & { readonly fresh: unknown }) {
  const of = one.toLowerCase();
  return (
    <Button onClick={() => desk.put(place, [...itemsAt(desk, place), fresh])}>
      Add {/^[aeiou]/.test(of) ? "an" : "a"} {of}
    </Button>
  );
}

function itemsAt(desk: FieldDesk, place: Place): readonly unknown[] {
  const value = desk.read(place);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function Items({ desk, place, one, empty, children }: ListOf) {
  const items = itemsAt(desk, place);
  const box = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<{ readonly at: number; readonly button: "up" | "down" } | undefined>(undefined);
  // The focus follows the moved item.
  useEffect(() => {
    if (moved === undefined) return;
    const own = box.current?.querySelectorAll(`:scope > fieldset`)[moved.at];
    const buttons = [...(own?.querySelectorAll<HTMLButtonElement>(`:scope > [data-item-buttons] > button`) ?? [])];
    const wanted = buttons.find((button) => button.dataset.move === moved.button && !button.disabled);
    (wanted ?? buttons.find((button) => !button.disabled))?.focus();
    setMoved(undefined);
  }, [moved]);
  const put = (next: readonly unknown[]) => {
    desk.put(place, next);
    desk.forgetFaults();
  };
  const move = (at: number, to: number, button: "up" | "down") => {
    const next = items.toSpliced(at, 1);
    put(next.toSpliced(to, 0, items[at]));
    setMoved({ at: to, button });
  };
  if (items.length === 0) return <p className="quiet">{empty}</p>;
  return (
    <div className={style.items} ref={box}>
      {items.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is known by its place, as its faults are
        <fieldset key={at} className={style.item}>
          <legend className="unseen">{`${one} ${at + 1}`}</legend>
          <Whole error={desk.errorOfWhole([...place, at])} />
          {children([...place, at])}
          <div className="row" data-item-buttons="">
            <Button look="link" data-move="up" disabled={at === 0} onClick={() => move(at, at - 1, "up")}>
              Move up
            </Button>
            <Button
              look="link"
              data-move="down"
              disabled={at === items.length - 1}
              onClick={() => move(at, at + 1, "down")}
            >
              Move down
            </Button>
            <Button look="link" onClick={() => put(items.toSpliced(at, 1))}>
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
    </div>
  );
}

/** An ordered map; each entry is a small form. */
export function Named({
  desk,
  place,
  one,
  title,
  empty,
  children,
}: ListOf & {
  readonly title: string;
}) {
  const value = desk.read(place);
  const map = (typeof value === "object" && value !== null ? value : {}) as Definition;
  const names = Object.keys(map);
  const put = (entries: readonly (readonly [string, unknown])[]) => {
    desk.put(place, Object.fromEntries(entries));
    desk.forgetFaults();
  };
  const add = () => put([...Object.entries(map), [freshName(one.toLowerCase(), names), {}]]);
  return (
    <Section
      title={`${title} (${names.length})`}
      actions={<Button onClick={add}>{`Add an ${one.toLowerCase()}`}</Button>}
    >
      {names.length === 0 && <p className="quiet">{empty}</p>}
      {names.map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its name changes while it is typed
        <fieldset key={at} className={style.item}>
          <legend className="unseen">{`${one} ${at + 1}`}</legend>
          <Whole error={desk.errorOfWhole([...place, name])} />
          <NameField
            label={`Name of the ${one.toLowerCase()}`}
            name={name}
            taken={names}
            onName={(next) => put(Object.entries(map).map(([key, item]) => [key === name ? next : key, item]))}
          />
          {children([...place, name])}
          <div className="row">
            <Button look="link" onClick={() => put(Object.entries(map).filter(([key]) => key !== name))}>
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
    </Section>
  );
}

/** Renames the entry as soon as the text is a valid name. */
function NameField({
  label,
  name,
  taken,
  onName,
}: {
  readonly label: string;
  readonly name: string;
  readonly taken: readonly string[];
  readonly onName: (name: string) => void;
}) {
  const [typed, setTyped] = useState({ text: name, of: name });
  const text = typed.of === name ? typed.text : name;
  const wanted = text.trim();
  const problem =
    wanted === ""
      ? `Enter a name. It stays '${name}' until then.`
      : wanted !== name && taken.includes(wanted)
        ? `This name is taken. It stays '${name}'.`
        : undefined;
  const change = (next: string) => {
    const trimmed = next.trim();
    const isFree = trimmed !== "" && (trimmed === name || !taken.includes(trimmed));
    setTyped({ text: next, of: isFree ? trimmed : name });
    if (isFree && trimmed !== name) onName(trimmed);
  };
  return <TextField label={label} error={problem} value={text} onChange={(event) => change(event.target.value)} />;
}

function freshName(one: string, names: readonly string[]): string {
  for (let at = names.length + 1; ; at += 1) if (!names.includes(`${one}-${at}`)) return `${one}-${at}`;
}

function Whole({ error }: { readonly error: ReactNode }) {
  return error === undefined ? null : (
    <p className={style.fault} role="alert">
      {error}
    </p>
  );
}
