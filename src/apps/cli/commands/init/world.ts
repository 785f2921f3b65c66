import type { GovernanceDraft } from "../../../../base/ports/stores/governance.ts";
import { type CodexTrust, codexTrustStatus, trustCodexHooks } from "../../../../edge/adapters/codex/trust.ts";
import { ensureDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../../../../edge/host/daemon/daemon-settings.ts";
import { journalDraft } from "../../../../edge/host/opening/journal-draft.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { findProgram } from "../../../install/find-program.ts";
import type { InstallPlace } from "../../../install/runtime.ts";
import { confirm } from "../../line/confirm.ts";
import { type PersonCheck, personCheck } from "../../line/only-a-person.ts";
import { personHere } from "../behavior/person.ts";
import { thisMachine } from "../behavior/world.ts";

/** What `init` and `enforce` need of the world; a test gives its own. */
export type InitWorld = {
  readonly env: NodeJS.ProcessEnv;
  /** Conduct's own folder. */
  readonly home: string;
  readonly now: () => number;
  readonly by: string;
  inside(): AgentAround | undefined;
  /** Looks for a person, before what is enforced is loosened. */
  readonly person: Pick<PersonCheck, "look">;
  ask(question: string): Promise<boolean | undefined>;
  /** How the daemon is reached over http; started when that is not known yet. */
  daemon(): Promise<InstallPlace["daemon"]>;
  find(program: string): string | undefined;
  codexTrust(codexHome: string, cwd: string, program: string): Promise<CodexTrust>;
  trustCodex(codexHome: string, cwd: string, program: string): Promise<CodexTrust>;
  /** Why it is not in the governance journal; `undefined` when it is. */
  journal(draft: GovernanceDraft): Promise<string | undefined>;
};

export function initWorld(): InitWorld {
  const { env } = process;
  const home = conductHome();
  return {
    env,
    home,
    now: Date.now,
    by: personHere(),
    inside: insideAgent,
    person: personCheck,
    ask: confirm,
    daemon: () => daemonAt(home),
    find: (program) => findProgram(program, env),
    codexTrust: codexTrustStatus,
    trustCodex: trustCodexHooks,
    journal: (draft) => journalDraft(thisMachine(), draft),
  };
}

/** How the daemon is reached over http, without starting it; a port that nobody has where that is not known. */
export function knownDaemon(home: string): InstallPlace["daemon"] {
  const known = readDaemonSettings(daemonPlace(home).settings);
  return { port: known?.port ?? 0, token: known?.token ?? "" };
}

/** Settings name the daemon's port, and only the daemon itself can tell which one it got. */
export async function daemonAt(home: string): Promise<InstallPlace["daemon"]> {
  const known = readDaemonSettings(daemonPlace(home).settings);
  if (known?.port !== undefined) return { port: known.port, token: known.token };
  const { port, httpFault } = await ensureDaemon(home);
  const settings = readDaemonSettings(daemonPlace(home).settings);
  if (port === undefined || settings === undefined) {
    throw new Error(`the daemon cannot be reached over http: ${httpFault ?? "it says nothing"}`);
  }
  return { port, token: settings.token };
}
