import { lstatSync } from "node:fs";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { type RunningGateway, readRunning, storeName } from "../../../../edge/stores/gateway-lock/running-gateway.ts";
import { openAccess } from "../../../gateway/http/access.ts";
import type { GatewayArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, type Failure, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { type PersonCheck, personCheck, requirePerson } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { withHomeStores } from "../../stores/with-contract.ts";

const SIGN_IN = "run it in a terminal in which no agent runs, or use the link that the gateway printed at its start";
const OPERATOR = "operator";
const ASK_MS = 3_000;

/** `conduct gateway login`: a new link for the gateway that runs on this home. Only the owner of the home may ask. */
export async function runGatewayLogin(
  args: Pick<GatewayArgs, "user">,
  { paint }: Terminal,
  env: NodeJS.ProcessEnv,
  around: AgentAround | undefined = insideAgent(env),
  check: Pick<PersonCheck, "look"> = personCheck,
): Promise<Outcome> {
  if (around !== undefined) return refuseAgent(around, "only a person can sign in");
  // An operator can pause enforcement in the console, so signing in needs the same check as `pause`.
  const person = requirePerson(check, "can sign in", SIGN_IN);
  if ("ok" in person) return person;
  const running = await findGateway(env);
  if ("ok" in running) return running;
  const { user = OPERATOR } = args;
  return withLoginLink(env, running, { user }, (link) => {
    const text = `\n  ${paint("cyan", link)}\n  one-time link, signs ${user} in; valid for 15 minutes\n\n`;
    return done({ login: link, user }, text);
  });
}

/** The gateway that runs on this home, or why there is none. */
export async function findGateway(env: NodeJS.ProcessEnv): Promise<RunningGateway | Failure> {
  const home = conductHome(env);
  const found = lstatSync(home, { throwIfNoEntry: false });
  const mine = process.getuid?.();
  if (found !== undefined && mine !== undefined && found.uid !== mine)
    return failed(
      "NOT_OPERATOR",
      `${home} belongs to another account, which is the operator`,
      "run it as that account, or set CONDUCT_HOME to your own home",
    );
  const running = readRunning(home);
  if (running !== undefined && (await answers(running))) return running;
  const next = [{ command: "conduct gateway", description: "Start the gateway" }];
  return failed("NOT_RUNNING", `no gateway is running on ${home}`, "start it: conduct gateway", { next });
}

/** A link that signs the user in once, and then shows the page at the path `to`. */
export async function withLoginLink(
  env: NodeJS.ProcessEnv,
  running: RunningGateway,
  { user = OPERATOR, to }: { readonly user?: string; readonly to?: string },
  use: (link: string) => Outcome,
): Promise<Outcome> {
  const place = storePlace(env, conductHome(env));
  if (storeName(place) !== running.store)
    return failed(
      "OTHER_STORE",
      `the gateway uses the store ${running.store}, but this command would write to ${storeName(place)}`,
      "set CONDUCT_STORE to the gateway's store",
    );
  return withHomeStores(env, async ({ users }) => {
    if ((await users.read(user)) === undefined)
      return badArgument(`there is no user '${user}'`, "conduct gateway login signs the operator in", "NO_USER");
    const code = await openAccess(users, nodeClock()).loginCode(user);
    return use(`${running.url}/login#${to === undefined ? "" : `to=${encodeURIComponent(to)}&`}code=${code}`);
  });
}

/** The recorded process id may belong to another process by now, so only an HTTP answer counts. */
async function answers({ local }: RunningGateway): Promise<boolean> {
  if (local === undefined) return false;
  try {
    const { ok } = await fetch(`${local}/api/health`, { signal: AbortSignal.timeout(ASK_MS), redirect: "error" });
    return ok;
  } catch {
    return false;
  }
}
