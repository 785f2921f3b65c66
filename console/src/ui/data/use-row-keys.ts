import { type RefObject, useCallback } from "react";
import { useHotkeys } from "../../app/hotkeys.tsx";

/** `j` and `k` move the focus through rows marked `data-row`. `onMove` is called after each move. */
export function useRowKeys(box: RefObject<HTMLElement | null>, onMove?: (id: string) => void): void {
  const move = useCallback(
    (step: 1 | -1) => {
      const rows = [...(box.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
      const id = currentRow(box);
      const at = rows.findIndex((row) => row.closest<HTMLElement>("[data-id]")?.dataset.id === id);
      const next =
        rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
      const to = next?.closest<HTMLElement>("[data-id]")?.dataset.id;
      if (to !== undefined) onMove?.(to);
    },
    [box, onMove],
  );
  useHotkeys([
    { keys: "j", does: "Next", run: () => move(1) },
    { keys: "k", does: "Previous", run: () => move(-1) },
  ]);
}

/** Returns the focused row, or else the open one. */
export function currentRow(box: RefObject<HTMLElement | null>): string | undefined {
  const focused = document.activeElement?.closest<HTMLElement>("[data-id]");
  if (focused !== null && focused !== undefined && box.current?.contains(focused) === true) return focused.dataset.id;
  return box.current?.querySelector('[data-row][aria-expanded="true"]')?.closest<HTMLElement>("[data-id]")?.dataset.id;
}
