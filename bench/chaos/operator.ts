import { setTimeout as sleep } from "node:timers/promises";
import type { ConductClient } from "../../src/apps/gateway/client.ts";
import type { Directive } from "./records.ts";
import { directiveMark } from "./stand-ins.ts";

const PAUSE_MS = 4_000;
/** Older directives are removed, because a contract has a limited size. */
const MOST = 5;

type Directing = { readonly client: ConductClient; readonly now: () => number; readonly over: AbortSignal };

/** Adds a directive every few seconds until the run is over. Records the acknowledged ones in `directives`. */
export async function keepDirecting({ client, now, over }: Directing, directives: Directive[]): Promise<void> {
  const ids = new Map<string, string>();
  for (let nth = 1; !over.aborted; nth++) {
    const id = `D${nth}`;
    const body = { type: "keep", text: `End every answer politely ${directiveMark(id)}` } as const;
    const signal = AbortSignal.timeout(15_000);
    const added = await client.call("POST /api/contract/directives", { body }, { signal }).catch(() => undefined);
    if (added?.directive !== undefined) {
      ids.set(id, added.directive.id);
      directives.push({ id, ackedAt: now() });
    }
    const old = directives.findIndex(({ removedAt }) => removedAt === undefined);
    const oldest = directives[old];
    if (oldest !== undefined && directives.length - old > MOST) {
      directives[old] = { ...oldest, removedAt: now() };
      const given = { params: { id: ids.get(oldest.id) ?? "" } };
      await client.call("DELETE /api/contract/directives/{id}", given, { signal }).catch(() => undefined);
    }
    await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }
}
