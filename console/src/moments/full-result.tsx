import { useCallback, useEffect, useRef, useState } from "react";
import { type Answer, ask, type GatewayError } from "../data/client.ts";
import { useStore } from "../data/store.tsx";
import { Button } from "../ui/button.tsx";
import { figure } from "../ui/data/token-bar.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorState, Skeleton } from "../ui/states.tsx";
import { plainText, Text } from "../ui/text.tsx";
import style from "./full-result.module.css";

/** Characters per page: enough for few pages, and rendered without delay. */
const PAGE = 20_000;

type Result = Answer<"GET /api/sessions/{id}/results/{handle}">;
type Read =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: GatewayError }
  | { readonly state: "ready"; readonly page: Result };

/** Shows the full text of a truncated result, page by page. */
export default function FullResult({
  session,
  handle,
  tool,
  onClose,
}: {
  readonly session: string;
  readonly handle: string;
  readonly tool: string;
  readonly onClose: () => void;
}) {
  const { read, busy, goTo } = useResult(session, handle);
  const text = useRef<HTMLElement>(null);
  const page = read.state === "ready" ? read.page : undefined;
  useEffect(() => {
    if (page === undefined || text.current === null) return;
    text.current.scrollTop = 0;
    // Focus the text on every page, so that the keyboard scrolls it.
    text.current.focus();
  }, [page]);
  return (
    <Dialog title={`Full result of ${plainText(tool)}`} open onClose={onClose} look="wide">
      {read.state === "loading" ? (
        <Skeleton lines={14} label="Loading the result" />
      ) : read.state === "failed" ? (
        <ErrorState
          error={read.error}
          title={read.error.code === "RESULT_GONE" ? "This result has expired" : "Loading failed"}
          retry={read.error.status === 404 ? undefined : () => goTo(0)}
        />
      ) : (
        <>
          <Turns page={read.page} busy={busy} goTo={goTo} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
          <section ref={text} className={style.text} tabIndex={0} aria-label="Result" aria-busy={busy || undefined}>
            {read.page.total === 0 ? (
              <p className="quiet">The result is empty.</p>
            ) : (
              <pre>
                <Text>{read.page.text}</Text>
              </pre>
            )}
          </section>
        </>
      )}
    </Dialog>
  );
}

/** Shows the current page, with buttons for the others. */
function Turns({
  page: { offset, text, total, next, handle },
  busy,
  goTo,
}: {
  readonly page: Result;
  readonly busy: boolean;
  readonly goTo: (offset: number) => void;
}) {
  const end = offset + text.length;
  const isWhole = offset === 0 && next === undefined;
  return (
    <div className={style.turns}>
      <span className="quiet small" role="status">
        {isWhole ? "" : `${figure(offset + 1)} to ${figure(end)} of `}
        {figure(total)} characters · <code>{handle}</code> · secrets are redacted
      </span>
      {!isWhole && (
        <nav className="row" aria-label="Pages of the result">
          <Button disabled={offset === 0 || busy} onClick={() => goTo(0)}>
            First
          </Button>
          <Button disabled={offset === 0 || busy} onClick={() => goTo(Math.max(0, offset - PAGE))}>
            Previous
          </Button>
          <Button disabled={next === undefined || busy} onClick={() => next !== undefined && goTo(next)}>
            Next
          </Button>
          <Button disabled={next === undefined || busy} onClick={() => goTo(Math.max(0, total - PAGE))}>
            Last
          </Button>
        </nav>
      )}
    </div>
  );
}

/** Not cached, because a stored result never changes. The page stays visible until the next one is loaded. */
function useResult(session: string, handle: string) {
  const { signOut } = useStore();
  const [read, setRead] = useState<Read>({ state: "loading" });
  const [busy, setBusy] = useState(false);
  const asked = useRef<AbortController | undefined>(undefined);
  const goTo = useCallback(
    async (offset: number) => {
      asked.current?.abort();
      const own = new AbortController();
      asked.current = own;
      setBusy(true);
      const given = { params: { id: session, handle }, query: { offset, limit: PAGE } };
      const outcome = await ask("GET /api/sessions/{id}/results/{handle}", given, { signal: own.signal });
      if (own.signal.aborted) return;
      setBusy(false);
      if (!outcome.ok && outcome.error.status === 401) signOut();
      setRead(outcome.ok ? { state: "ready", page: outcome.value } : { state: "failed", error: outcome.error });
    },
    [session, handle, signOut],
  );
  useEffect(() => {
    void goTo(0);
    return () => asked.current?.abort();
  }, [goTo]);
  return { read, busy, goTo: (offset: number) => void goTo(offset) };
}
