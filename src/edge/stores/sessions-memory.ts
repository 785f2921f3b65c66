import type { Lease, SessionState, SessionsStore } from "../../base/ports/stores/sessions.ts";
import { LEASE_SLACK_MS } from "./lease-slack.ts";
import { wholeSnapshot } from "./sessions-whole.ts";

type Row = {
  readonly state?: SessionState;
  /** Since that state, the oldest first. */
  readonly changes?: readonly string[];
  readonly version: number;
  readonly at: number;
  readonly lease?: Lease;
};

/** Keeps sessions in this process. */
export function memorySessions(): SessionsStore {
  const rows = new Map<string, Row>();
  const aside: { readonly id: string; readonly why: string; readonly row: Omit<Row, "lease"> }[] = [];

  return {
    async load(id) {
      const { state, changes = [], version } = rows.get(id) ?? { version: 0 };
      if (state === undefined) return undefined;
      return structuredClone({ ...state, snapshot: wholeSnapshot(id, state.snapshot, changes), version });
    },
    async setAside(id, why, at) {
      const { lease, ...row } = rows.get(id) ?? { version: 0, at };
      aside.push({ id, why, row });
      rows.set(id, { version: 0, at, ...(lease === undefined ? {} : { lease }) });
    },
    async save(id, { snapshot, beside, expectedVersion, at }) {
      const row = rows.get(id);
      if ((row?.version ?? 0) !== expectedVersion) return false;
      const state = structuredClone({ snapshot, beside });
      rows.set(id, { ...row, state, changes: [], version: expectedVersion + 1, at });
      return true;
    },
    async append(id, { change, beside, expectedVersion, at }) {
      const row = rows.get(id);
      if (row?.state === undefined || row.version !== expectedVersion) return false;
      const state = beside === undefined ? row.state : { ...row.state, beside: structuredClone(beside) };
      rows.set(id, { ...row, state, changes: [...(row.changes ?? []), change], version: expectedVersion + 1, at });
      return true;
    },
    async lease(id, { holder, until, now, over }) {
      const row = rows.get(id) ?? { version: 0, at: now };
      const { lease } = row;
      const isOver = lease === undefined || lease.until <= now || lease.until > until + LEASE_SLACK_MS;
      const taken = !isOver && lease.holder !== holder && lease.holder !== over;
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
