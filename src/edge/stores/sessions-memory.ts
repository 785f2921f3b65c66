import type { Lease, SessionState, SessionsStore } from "../../base/ports/sessions.ts";

type Row = { readonly state?: SessionState; readonly version: number; readonly at: number; readonly lease?: Lease };

/** Keeps sessions in this process. */
export function memorySessions(): SessionsStore {
  const rows = new Map<string, Row>();

  return {
    async load(id) {
      const { state, version } = rows.get(id) ?? { version: 0 };
      return state === undefined ? undefined : structuredClone({ ...state, version });
    },
    async save(id, { snapshot, beside, expectedVersion, at }) {
      const row = rows.get(id);
      if ((row?.version ?? 0) !== expectedVersion) return false;
      const state = structuredClone({ snapshot, beside });
      rows.set(id, { ...row, state, version: expectedVersion + 1, at });
      return true;
    },
    async lease(id, { holder, until, now, over }) {
      const row = rows.get(id) ?? { version: 0, at: now };
      const { lease } = row;
      const taken = lease !== undefined && lease.until > now && lease.holder !== holder && lease.holder !== over;
      if (taken) return { ...lease };
      rows.set(id, { ...row, lease: { holder, until } });
      return { holder, until };
    },
    async renew({ holder, until }) {
      for (const [id, row] of rows)
        if (row.lease?.holder === holder) rows.set(id, { ...row, lease: { holder, until } });
    },
    async release(id, holder) {
      const { lease, ...row } = rows.get(id) ?? { version: 0, at: 0 };
      if (lease?.holder === holder) rows.set(id, row);
    },
    async remove(id) {
      rows.delete(id);
    },
    async expire(before) {
      const old = [...rows].filter(([, { at, lease }]) => at < before && (lease === undefined || lease.until < before));
      for (const [id] of old) rows.delete(id);
      return old.length;
    },
  };
}
