import type { ReactNode } from "react";
import type { GatewayError } from "../data/client.ts";
import type { Query } from "../data/use-query.ts";
import { Button } from "./button.tsx";
import style from "./states.module.css";
import { Text } from "./text.tsx";

/** Says what would appear here, and how to get the first one. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={style.state}>
      <h2>{title}</h2>
      {children !== undefined && <div className={style.teach}>{children}</div>}
      {action}
    </div>
  );
}

/** Says what happened and what to do, with a retry button. */
export function ErrorState({
  error,
  retry,
  title = "Loading failed",
}: {
  readonly error: GatewayError;
  readonly retry?: () => void;
  readonly title?: string;
}) {
  return (
    <div className={style.state} role="alert">
      <h2>
        <span aria-hidden="true">✗ </span>
        {title}
      </h2>
      <ErrorText error={error} />
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** An error in one line, next to its subject. */
export function ErrorText({ error }: { readonly error: GatewayError }) {
  return (
    <p className={style.teach}>
      <Text>{error.message}</Text>
      {error.fix !== undefined && (
        <>
          {" "}
          <Text>{error.fix}</Text>
        </>
      )}{" "}
      {error.code !== "UNKNOWN" && <code className="quiet">{error.code}</code>}
    </p>
  );
}

/** Placeholder with the expected number of lines, so that the layout does not jump. */
export function Skeleton({
  lines = 3,
  height = 20,
  label = "Loading",
}: {
  readonly lines?: number;
  readonly height?: number;
  readonly label?: string;
}) {
  return (
    <div className={style.skeleton} role="status" aria-label={label}>
      {bonesOf(lines).map(({ key, width }) => (
        <span key={key} className={style.bone} style={{ height: height - 8, margin: "4px 0", width }} />
      ))}
    </div>
  );
}

function bonesOf(lines: number) {
  return Array.from({ length: lines }, (_, at) => ({ key: `bone ${at}`, width: `${[92, 78, 85, 64][at % 4]}%` }));
}

/** Shows a read while loading, failed or ready. A failed refresh is shown above the old data. */
export function QueryView<T>({
  query,
  skeleton,
  children,
}: {
  readonly query: Query<T>;
  readonly skeleton?: ReactNode;
  readonly children: (data: T) => ReactNode;
}) {
  if (query.state === "loading") return skeleton ?? <Skeleton />;
  if (query.state === "failed") return <ErrorState error={query.error} retry={query.refresh} />;
  return (
    <>
      {query.error !== undefined && !query.loading && (
        <div className={style.old} role="status">
          <span>
            <span aria-hidden="true">! </span>This may be outdated: <Text>{query.error.message}</Text>
          </span>
          <Button look="link" onClick={query.refresh}>
            Try again
          </Button>
        </div>
      )}
      {children(query.data)}
    </>
  );
}
