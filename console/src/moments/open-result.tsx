import { createContext, lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { useLocation } from "wouter";
import type { ConductEvent } from "../../../src/base/words/event.ts";
import { Button } from "../ui/button.tsx";

const FullResult = lazy(() => import("./full-result.tsx"));

type ResultEvent = Extract<ConductEvent, { type: "result" }>;
type Kept = { readonly session: string; readonly tool: string; readonly handle: string };

const OpenContext = createContext<(kept: Kept) => void>(() => undefined);

/** Shows the result opened last. Not rendered in its row, which a growing list may unmount. */
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

/** Handles of the stored full texts; empty if nothing was truncated or nothing could be stored. */
export function handlesOf({ truncation }: ResultEvent): readonly string[] {
  return truncation.flatMap(({ handle }) => handle ?? []);
}

/** Opens the full text of a truncated result. */
export function OpenResult({ event, handle }: { readonly event: ResultEvent; readonly handle: string }) {
  const open = useContext(OpenContext);
  return (
    <Button look="link" onClick={() => open({ session: event.session, tool: event.tool, handle })}>
      Open full result
    </Button>
  );
}
