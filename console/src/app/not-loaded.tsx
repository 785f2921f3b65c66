import { useEffect } from "react";
import { ask } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Page } from "./page.tsx";

const LOOK_MS = 3_000;
/** The page is not reloaded by itself twice within this time, so that a file that is really missing causes no loop. */
const APART_MS = 60_000;
const KEY = "conduct-reloaded-at";

/** Whether an error means that the file of a screen could not be loaded. */
export function isLoadError({ message }: Error): boolean {
  return /dynamically imported|importing a module|preload CSS|module script|Failed to fetch/i.test(message);
}

/**
 * Shown instead of a screen whose file could not be loaded: the gateway is gone, or it serves a newer console. Opens the
 * screen as soon as the gateway answers.
 */
export function NotLoaded() {
  useEffect(() => {
    const timer = setInterval(async () => {
      const last = Number(sessionStorage.getItem(KEY) ?? 0);
      if (Date.now() - last < APART_MS || !(await ask("GET /api/health", undefined)).ok) return;
      sessionStorage.setItem(KEY, String(Date.now()));
      location.reload();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title="Waiting for the gateway">
      <EmptyState
        title="This page could not be loaded"
        action={<Button onClick={() => location.reload()}>Reload page</Button>}
      >
        The gateway is stopped or was updated. This page opens by itself when the gateway answers.
      </EmptyState>
    </Page>
  );
}
