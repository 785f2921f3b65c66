import { createContext, lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { useLocation } from "wouter";
import type { ConductEvent } from "../../../src/base/words/event.ts";
import { Button } from "../ui/button.tsx";

const FullResult = lazy(() => import("./full-result.tsx"));

type ResultEvent = Extract<ConductEvent, { type: "result" }>;
type Kept = { readonly session: string; readonly tool: string; readonly handle: string };

const OpenContext = createContext<(kept: Kept) => void>(() => undefined);

/** Shows the result that was opened last; not in its row, which a list that goes on may take off the page. */
export function ResultProvider({ children }: { readonly children: ReactNode }) {
  const [where] = useLocation();
  const [open, setOpen] = useState<(Kept & { readonly where: string }) | undefined>(undefined);
  return (
    <OpenContext value={(kept) => setOpen({ ...kept, where })}>
      {children}
      {open?.where === where && (
        <Suspense fallback={null}>
          <FullResult {...open} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </OpenContext>
  );
}

/** The names under which a result's parts are kept whole; none where nothing was cut, or nothing could be kept. */
export function handlesOf({ truncation }: ResultEvent): readonly string[] {
  return truncation.flatMap(({ handle }) => handle ?? []);
}

/** Opens a result that was cut, as it was before. */
export function OpenResult({ event, handle }: { readonly event: ResultEvent; readonly handle: string }) {
  const open = useContext(OpenContext);
  return (
    <Button look="link" onClick={() => open({ session: event.session, tool: event.tool, handle })}>
      Open full result
    </Button>
  );
}
