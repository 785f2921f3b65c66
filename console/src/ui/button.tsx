import type { ComponentProps } from "react";
import style from "./button.module.css";
import { classes } from "./classes.ts";

type Look = "plain" | "main" | "danger" | "link";

/** `busy` keeps the size and prevents a second press. */
export function Button({
  look = "plain",
  busy = false,
  className,
  children,
  disabled,
  ...rest
}: ComponentProps<"button"> & { readonly look?: Look; readonly busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={classes(style.button, style[look], className)}
    >
      {children}
    </button>
  );
}

/** A button with only an icon; `label` is its accessible name. */
export function IconButton({ label, className, ...rest }: ComponentProps<"button"> & { readonly label: string }) {
  return <button type="button" {...rest} aria-label={label} title={label} className={classes(style.icon, className)} />;
}

/** A toggle button. */
export function Chip({ on, className, ...rest }: ComponentProps<"button"> & { readonly on: boolean }) {
  return <button type="button" {...rest} aria-pressed={on} className={classes(style.chip, className)} />;
}
