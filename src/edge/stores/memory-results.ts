import { checkOptions, number, optional } from "../../base/kernel/check-options.ts";
import { wellFormed } from "../../base/kernel/text.ts";
import type { KeptResults } from "../../base/ports/stores/results.ts";

/** Stores the newest full results in this process, up to `maxBytes` (256 MB by default, two bytes per code unit). */
export function memoryResults(options: { readonly maxBytes?: number } = {}): KeptResults {
  checkOptions("memoryResults", options, { maxBytes: optional(number) });
  const maxBytes = options.maxBytes ?? 256 * 1024 * 1024;
  const kept = new Map<string, string>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= size(kept.get(key) ?? "");
    kept.delete(key);
  }

  return {
    async keep(session, handle, text) {
      if (size(text) > maxBytes) throw new Error(`a result of ${size(text)} bytes exceeds the store's ${maxBytes}`);
      const key = keyOf(session, handle);
      drop(key);
      kept.set(key, wellFormed(text));
      bytes += size(text);
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    async read(session, handle) {
      return kept.get(keyOf(session, handle));
    },
    async forget(session) {
      const its = `${JSON.stringify([session]).slice(0, -1)},`;
      for (const key of [...kept.keys()]) if (key.startsWith(its)) drop(key);
    },
  };
}

/** JSON, because a handle may contain any separator. */
function keyOf(session: string, handle: string): string {
  return JSON.stringify([session, handle]);
}

function size(text: string): number {
  return text.length * 2;
}
