import { asObject, asString } from "../../../base/kernel/json.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { type Pause, readPauseFile } from "../../../edge/host/daemon/paused.ts";
import { readRuntimes } from "../../../edge/host/opening/runtime-settings.ts";
import { readSetup } from "../../../edge/host/switch/setup-record.ts";
import { isInstalled } from "../../install/install-record.ts";
import { readSettings } from "../../install/settings-file.ts";
import { guardedKind } from "./guarded-file.ts";

/** A configured runtime. `missing` says where its hooks are switched off, and why. */
export type RuntimeBound = {
  readonly runtime: string;
  readonly enforcement: "enforce" | "shadow";
  /** How many of its files contain hooks or plugins of Conduct. */
  readonly files: number;
  readonly missing: readonly { readonly path: string; readonly why: string }[];
};

/** A finding of the daemon: hooks switched off, a forged pause, sessions without hooks. */
export type Noticed = { readonly at: number; readonly kind: string; readonly message: string };

export type Switches = {
  readonly paused: Pause | null;
  /** Why an existing pause file has no effect. */
  readonly forgedPause?: string;
  readonly runtimes: readonly RuntimeBound[];
  /** Newest first. */
  readonly noticed: readonly Noticed[];
};

/** Set up without files of their own. */
const CLIENTS = ["acp", "mcp"];
const KINDS = ["guard.hooks-removed", "guard.hooks-silent", "guard.pause-forged", "guard.setup-changed"];
/** How many of the newest journal entries are read. */
const LOOKED_AT = 1_000;

/** Never rejects: unreadable parts are left out, and `doctor` reports them. */
export async function readSwitches(
  home: string,
  now: number,
  since: number,
  journal: GovernanceJournal | undefined,
): Promise<Switches> {
  const pause = readPauseFile(home, now);
  return {
    paused: pause.kind === "pause" ? pause.pause : null,
    forgedPause: pause.kind === "forged" ? pause.why : undefined,
    runtimes: await runtimesBound(home).catch(() => []),
    noticed: journal === undefined ? [] : await noticedSince(journal, since).catch(() => []),
  };
}

async function runtimesBound(home: string): Promise<readonly RuntimeBound[]> {
  const runtimes = await readRuntimes(home);
  const setup = readSetup(home);
  const files = typeof setup === "string" ? [] : setup.files;
  const all = await Promise.all(
    Object.entries(runtimes).map(async ([runtime, { enforcement }]) => {
      const own = files.filter((file) => file.runtime === runtime);
      const found = await Promise.all(
        own.map(async ({ path, text: good }) => {
          const kind = guardedKind(runtime, path);
          const text = await readSettings(path).catch(() => undefined);
          return { path, why: kind?.has(good) === false ? "they were never found there" : kind?.off(text, good) };
        }),
      );
      const missing = found.flatMap(({ path, why }) => (why === undefined ? [] : [{ path, why }]));
      // The entry of a removed runtime stays for its running sessions; see `unbind` in the undo command.
      const isRemoved = own.length === 0 && !CLIENTS.includes(runtime) && !(await isInstalled(home, runtime));
      return isRemoved ? [] : [{ runtime, enforcement, files: own.length, missing }];
    }),
  );
  return all.flat();
}

async function noticedSince(journal: GovernanceJournal, since: number): Promise<readonly Noticed[]> {
  const { seq } = await journal.head();
  const { entries } = await journal.read({ kinds: KINDS, from: Math.max(1, seq - LOOKED_AT), limit: LOOKED_AT });
  return entries
    .filter(({ at }) => at >= since)
    .map(({ at, kind, body }) => ({ at, kind, message: asString(asObject(body).message) }))
    .toReversed();
}
