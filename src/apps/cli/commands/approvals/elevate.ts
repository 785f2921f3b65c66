import { formatDuration, parseDuration } from "../../../../base/kernel/duration.ts";
import { LONGEST_ELEVATION_MS } from "../../../../behavior/session/modes/modes.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import type { Elevated } from "../../../daemon/requests.ts";
import { type ConductClient, conductClient, GatewayError } from "../../../gateway/client.ts";
import { openAccess } from "../../../gateway/http/access.ts";
import type { ElevateArgs } from "../../declared/observe-commands.ts";
import { badArgument, done, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { type PersonCheck, personCheck, requireTypedCode } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceWorld, thisMachine, withHomeStores } from "../../stores/with-contract.ts";
import {
  commandOf,
  findSession,
  type JournalWorld,
  processWorld,
  sessionNotFound,
  withStore,
} from "../../stores/with-store.ts";
import { findGateway } from "../gateway/gateway-login.ts";
import { sendAnswer } from "./approve.ts";

export type GatewayWorld = JournalWorld & Pick<GovernanceWorld, "inside" | "by">;
type ElevateWorld = GatewayWorld & { readonly person: PersonCheck };

const OTHER_WAY = "run it in your own terminal, without an agent, or elevate the session in the console";
const OPERATOR = "operator";
/** How long the command's own token for the gateway is valid. */
const TOKEN_MS = 60_000;

/**
 * `conduct elevate SESSION [--for 10m] [--off]`. Like a pause it needs a person who types a code, or the operator's token in
 * CONDUCT_TOKEN. Ending an elevation needs neither.
 */
export async function elevate(
  { session: given, for: time = "10m", off = false }: ElevateArgs,
  terminal: Terminal,
  world: ElevateWorld = { ...processWorld(), ...thisMachine(), person: personCheck },
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can elevate a session");
  if (given === "") return badArgument("no session given: 'conduct status' lists them", "conduct elevate SESSION");
  const ms = parseDuration(time);
  if (ms === undefined || ms <= 0 || ms > LONGEST_ELEVATION_MS)
    return badArgument(`'${time}' is not a duration of at most 24 hours`, commandOf("elevate", given, "--for", "10m"));
  const forMs = off ? undefined : ms;
  return withStore(
    world,
    async (store) => {
      const found = await findSession(store.events, given);
      if ("near" in found) return sessionNotFound(given, found.near, (id) => commandOf("elevate", id));
      const { session } = found;
      const isHosted = !(await isOfDaemon(store, session));
      const hasToken = isHosted && Boolean(world.env.CONDUCT_TOKEN);
      if (forMs !== undefined && !hasToken) {
        const what = `This elevates the session ${session} for ${formatDuration(forMs)}.`;
        const person = await requireTypedCode(world.person, what, "can elevate a session", OTHER_WAY);
        if ("ok" in person) return person;
      }
      const failure = await (isHosted
        ? askGateway(world, "conduct elevate", (client) =>
            off
              ? client.call("DELETE /api/sessions/{id}/elevation", { params: { id: session } })
              : client.call("POST /api/sessions/{id}/elevation", { params: { id: session }, body: { time } }),
          )
        : inDaemon(world, session, forMs));
      return failure ?? elevated(session, forMs, terminal);
    },
    () => sessionNotFound(given, [], (id) => commandOf("elevate", id)),
  );
}

/** The daemon saves the workspace with a session; the gateway does not. */
export async function isOfDaemon({ sessions }: Pick<SqlStore, "sessions">, session: string): Promise<boolean> {
  return typeof (await sessions.load(session))?.beside.workspace === "string";
}

async function inDaemon(world: ElevateWorld, session: string, forMs: number | undefined): Promise<Outcome | undefined> {
  const request = { elevates: { session, forMs, by: await world.by() } };
  const { kind } = (await sendAnswer(conductHome(world.env), request)) as Elevated;
  if (kind === "elevated") return undefined;
  const fix = kind === "never" ? "remove `elevation: never` from the agent in conduct.yaml" : "conduct status";
  const why = kind === "never" ? "its agent cannot be elevated" : "it has ended";
  return failed(kind === "never" ? "NEVER_ELEVATED" : "NOT_OPEN", `${session}: ${why}`, fix);
}

/** Makes one request as the operator, with CONDUCT_TOKEN or a token of its own that `label` names. */
export async function askGateway(
  world: GatewayWorld,
  label: string,
  ask: (client: ConductClient) => Promise<unknown>,
): Promise<Outcome | undefined> {
  const running = await findGateway(world.env);
  if ("ok" in running) return running;
  let failure: Outcome | undefined;
  const call = async (token: string) => {
    const client = conductClient({ url: running.local ?? running.url, token });
    try {
      await ask(client);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      failure = failed(error.code, error.message, error.fix ?? "conduct status");
    }
  };
  if (world.env.CONDUCT_TOKEN) await call(world.env.CONDUCT_TOKEN);
  else
    await withHomeStores(world.env, async ({ users }) => {
      const access = openAccess(users, nodeClock());
      const { secret } = await access.newToken(OPERATOR, label, TOKEN_MS);
      await call(secret).finally(() => access.signOut(secret));
      return done({}, "");
    });
  return failure;
}

function elevated(session: string, forMs: number | undefined, { paint, invocation }: Terminal): Outcome {
  const lines =
    forMs === undefined
      ? [`  ${paint("green", "✓ no longer elevated")} ${session}`]
      : [
          `  ${paint("amber", "▲ elevated")} ${session} for ${formatDuration(forMs)}`,
          "  Questions are answered yes; workspace and risk limits are lifted. Rules and the gateway's sandbox stay in force.",
          `  ${paint("dim", "end it earlier:")} ${invocation} elevate ${session} --off`,
        ];
  return done({ session, forMs }, ["", ...lines, "", ""].join("\n"));
}
