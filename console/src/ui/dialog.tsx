import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import style from "./dialog.module.css";
import { Icon } from "./icons.tsx";

/**
 * The browser's own dialog, which traps the focus, closes on Escape and restores the focus. The element marked
 * `data-first` is focused on open, because React's `autoFocus` runs too early for a dialog.
 */
export function Dialog({
  title,
  open,
  onClose,
  children,
  look = "middle",
  hideTitle = false,
}: {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** `wide`: two columns. `top`: a palette. `side`: a drawer. */
  readonly look?: "middle" | "wide" | "top" | "side";
  readonly hideTitle?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not `useEffect`, whose cleanup runs after the dialog is removed, when the focus cannot be restored.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || !open) return;
    element.showModal();
    element.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => element.close();
  }, [open]);
  if (!open) return null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it; the keyboard has Escape
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={classes(style.dialog, style[look])}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={style.inside}>
        <div className={hideTitle ? "unseen" : style.head}>
          <h2 id={id}>{title}</h2>
          {!hideTitle && (
            <IconButton label="Close" onClick={onClose}>
              <Icon of="close" />
            </IconButton>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
