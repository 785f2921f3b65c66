import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "./classes.ts";
import style from "./field.module.css";

type Told = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly hideLabel?: boolean;
};

/** Label, hint and error, linked to the control for screen readers. */
function Frame({
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: Told & {
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": true | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  const hasError = error !== undefined && error !== "" && error !== false && error !== null;
  return (
    <div className={style.field}>
      <label htmlFor={id} className={hideLabel ? "unseen" : style.label}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": hint !== undefined || hasError ? hintId : undefined,
        "aria-invalid": hasError || undefined,
      })}
      {(hint !== undefined || hasError) && (
        <div id={hintId} className={hasError ? style.error : style.hint} role={hasError ? "alert" : undefined}>
          {hasError ? error : hint}
        </div>
      )}
    </div>
  );
}

export function TextField({ label, hint, error, hideLabel, className, ...rest }: ComponentProps<"input"> & Told) {
  return (
    <Frame {...told(label, hint, error, hideLabel)}>
      {(ids) => (
        <input type="text" autoComplete="off" {...rest} {...ids} className={classes(style.control, className)} />
      )}
    </Frame>
  );
}

export function TextArea({ label, hint, error, hideLabel, className, ...rest }: ComponentProps<"textarea"> & Told) {
  return (
    <Frame {...told(label, hint, error, hideLabel)}>
      {(ids) => <textarea rows={3} dir="auto" {...rest} {...ids} className={classes(style.control, className)} />}
    </Frame>
  );
}

export function Select({ label, hint, error, hideLabel, className, ...rest }: ComponentProps<"select"> & Told) {
  return (
    <Frame {...told(label, hint, error, hideLabel)}>
      {(ids) => <select {...rest} {...ids} className={classes(style.control, className)} />}
    </Frame>
  );
}

/** Filters a list. */
export function SearchField(props: Omit<ComponentProps<"input">, "type"> & Told) {
  return <TextField {...props} type="search" data-search="" spellCheck={false} />;
}

function told(label: string, hint: ReactNode, error: ReactNode, hideLabel: boolean | undefined): Told {
  return { label, hint, error, hideLabel };
}
