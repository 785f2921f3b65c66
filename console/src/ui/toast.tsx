import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import type { Tone } from "./badge.tsx";
import { TONE_MARKS } from "./badge.tsx";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { Icon } from "./icons.tsx";
import { Text } from "./text.tsx";
import style from "./toast.module.css";

type Action = { readonly label: string; readonly run: () => void };
type Toast = { readonly id: number; readonly text: string; readonly tone: Tone; readonly action?: Action };
type Tell = (text: string, more?: { readonly tone?: Tone; readonly action?: Action }) => void;

const ToastContext = createContext<Tell>(() => undefined);
const LASTS_MS = 8_000;
const MOST = 3;
let count = 0;

/** Shows a message in a live region; the focus does not move. */
export function useToast(): Tell {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const tell = useCallback<Tell>(
    (text, { tone = "neutral", action } = {}) => {
      count += 1;
      const id = count;
      setToasts((all) => [...all.slice(1 - MOST), { id, text, tone, action }]);
      // Errors stay until they are dismissed; messages with an action stay longer.
      if (tone !== "denied") setTimeout(() => drop(id), action === undefined ? LASTS_MS : LASTS_MS * 2);
    },
    [drop],
  );
  const region = useMemo(
    () => (
      <div className={style.region} role="status" aria-live="polite">
        {toasts.map(({ id, text, tone, action }) => (
          <div key={id} className={classes(style.toast, style[tone])}>
            {TONE_MARKS[tone] !== "" && <span aria-hidden="true">{TONE_MARKS[tone]}</span>}
            <Text className="grow">{text}</Text>
            {action !== undefined && (
              <Button
                look="link"
                onClick={() => {
                  action.run();
                  drop(id);
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton label="Dismiss" onClick={() => drop(id)}>
              <Icon of="close" />
            </IconButton>
          </div>
        ))}
      </div>
    ),
    [toasts, drop],
  );
  return (
    <ToastContext value={tell}>
      {children}
      {region}
    </ToastContext>
  );
}
