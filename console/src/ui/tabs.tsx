import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import style from "./tabs.module.css";

export type Tab<Name extends string> = { readonly name: Name; readonly label: ReactNode };

/** Tabs; arrow keys switch between them. */
export function Tabs<Name extends string>({
  label,
  tabs,
  current,
  onChange,
  children,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly current: Name;
  readonly onChange: (name: Name) => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next.name);
    list.current?.querySelector<HTMLElement>(`[data-name="${CSS.escape(next.name)}"]`)?.focus();
  };
  return (
    <div className={style.tabs}>
      <div role="tablist" aria-label={label} className={style.list} ref={list} onKeyDown={move}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            data-name={name}
            id={`${id}-${name}`}
            aria-selected={name === current}
            aria-controls={`${id}-panel`}
            tabIndex={name === current ? 0 : -1}
            className={style.tab}
            onClick={() => onChange(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </div>
  );
}
