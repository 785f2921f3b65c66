import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "../../../engine/session/session.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { hookHttp, listenForHttp } from "../daemon/hook-http.ts";
import { conductHome } from "../workspace/conduct-home.ts";
import { answerExec, readExecRequest, STARTS } from "./exec-requests.ts";
import { execToken, GatedWorkspaces, isOnKnownPath, writeGate } from "./gate-files.ts";
import { gateVariables } from "./gate-place.ts";

/** A session in this process, which can be asked about programs. */
type Gateable = SessionMoments & Pick<Session, "onExec" | "onExecEnd">;

type LocalGate = { readonly home: string; readonly workspaces: GatedWorkspaces };

const sessions = new Map<string, WeakRef<Gateable>>();
let opened: Promise<LocalGate> | undefined;

/**
 * The variables with which the commands of a session are gated when they start programs: by this process for a session
 * of its own, by the daemon for another one. None where there is no bash.
 */
export async function gatedEnvironment(
  session: SessionMoments,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly [name: string]: string }> {
  const given = { PATH: env.PATH, BASH_ENV: env.BASH_ENV };
  if (!isGateable(session)) return gateVariables(conductHome(), given, session.id);
  if (!existsSync("/bin/bash")) return {};
  sessions.set(session.id, new WeakRef(session));
  opened ??= openGate();
  const { home, workspaces } = await opened;
  writeGate(home, env.PATH);
  workspaces.note(realpathSync(folder), session.id, session.observing === undefined);
  return gateVariables(home, given, session.id);
}

function isGateable(session: SessionMoments): session is Gateable {
  return "onExec" in session && typeof session.onExec === "function";
}

/** Its folder goes with the process; its server does not keep the process alive. */
async function openGate(): Promise<LocalGate> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "conduct-gate-"));
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  const token = randomBytes(32).toString("hex");
  const handle = async ({ body }: { readonly body: unknown }) => {
    const request = readExecRequest(String(body), (file) => isOnKnownPath(home, file));
    const session = sessions.get(request.session || request.seen)?.deref();
    return session === undefined ? STARTS : answerExec(session, request);
  };
  const route = { method: "POST", path: "/exec", raw: { token: execToken(token) }, handle } as const;
  const { port } = await listenForHttp(hookHttp(token, [route]), { unref: true });
  return { home, workspaces: new GatedWorkspaces(home, { port, token }) };
}
