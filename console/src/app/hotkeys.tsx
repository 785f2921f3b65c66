import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import style from "./hotkeys.module.css";

/** `keys`: `n`, `mod+k`, or a sequence such as `g c`. `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export type Hotkey = {
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
  readonly group?: string;
};

type Registry = { readonly add: (keys: readonly Hotkey[]) => () => void };

const HotkeyContext = createContext<Registry>({ add: () => () => undefined });
const SEQUENCE_MS = 1_000;

export const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform);

/** Registers keys while the component is mounted; `?` lists all of them. */
export function useHotkeys(keys: readonly Hotkey[]): void {
  const { add } = useContext(HotkeyContext);
  const newest = useRef(keys);
  newest.current = keys;
  const names = keys.map(({ keys: name, does }) => `${name}\t${does}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is read from the ref; the names say whether there are others
  useEffect(() => add(keys.map((one, at) => ({ ...one, run: () => newest.current[at]?.run() }))), [add, names]);
}

export function HotkeyProvider({ children }: { readonly children: ReactNode }) {
  const all = useRef(new Set<Hotkey>());
  const [help, setHelp] = useState(false);
  const registry = useMemo<Registry>(
    () => ({
      add(keys) {
        for (const one of keys) all.current.add(one);
        return () => {
          for (const one of keys) all.current.delete(one);
        };
      },
    }),
    [],
  );
  useEffect(() => {
    let before = "";
    let at = 0;
    const onKey = (event: KeyboardEvent) => {
      const pressed = pressedKeys(event);
      if (pressed === undefined) return;
      const inDialog = document.querySelector("dialog[open]") !== null;
      // Only `mod+` keys work while typing or in a dialog.
      if ((isTyping(event.target) || inDialog) && !pressed.startsWith("mod+")) return;
      if (pressed === "?") {
        event.preventDefault();
        setHelp(true);
        return;
      }
      const sequence = event.timeStamp - at < SEQUENCE_MS && before !== "" ? `${before} ${pressed}` : undefined;
      const found =
        [...all.current].findLast(({ keys }) => keys === sequence) ??
        [...all.current].findLast(({ keys }) => keys === pressed);
      before = pressed;
      at = event.timeStamp;
      if (found === undefined) return;
      before = "";
      event.preventDefault();
      found.run();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <HotkeyContext value={registry}>
      {children}
      <Dialog title="Keyboard shortcuts" open={help} onClose={() => setHelp(false)}>
        {help && <Overview keys={[...all.current]} />}
      </Dialog>
    </HotkeyContext>
  );
}

function Overview({ keys }: { readonly keys: readonly Hotkey[] }) {
  const groups = Map.groupBy(keys, ({ group }) => group ?? "This page");
  return (
    <div className={style.groups}>
      {[...groups].map(([group, found]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl className={style.keys}>
            {found.map(({ keys: name, does }) => (
              <div key={name}>
                <dt>
                  <Keys of={name} />
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

/** Shows `mod+k` with the names of this keyboard. */
export function Keys({ of }: { readonly of: string }) {
  return (
    <>
      {of.split(" ").map((part) => (
        <kbd key={part} className={style.key}>
          {part.replace("mod+", IS_MAC ? "⌘" : "Ctrl ").replace(/\b[a-z]$/, (letter) => letter.toUpperCase())}
        </kbd>
      ))}
    </>
  );
}

function pressedKeys({ key, metaKey, ctrlKey, altKey, isComposing }: KeyboardEvent): string | undefined {
  if (isComposing || altKey || key === "Shift" || key === "Control" || key === "Meta") return undefined;
  const name = key.length === 1 ? key.toLowerCase() : key;
  return (IS_MAC ? metaKey : ctrlKey) ? `mod+${name}` : metaKey || ctrlKey ? undefined : name;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.shadowRoot !== null ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")
  );
}
