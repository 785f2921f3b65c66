import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import style from "./dialog.module.css";
import { Icon } from "./icons.tsx";

/** The browser's own dialog: focus stays in it, Escape closes it, and the focus goes back to where it was. */
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
  /** `wide`: two columns beside each other. `top`: a palette. `side`: a drawer. */
  readonly look?: "middle" | "wide" | "top" | "side";
  readonly hideTitle?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || !open) return;
    element.showModal();
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
