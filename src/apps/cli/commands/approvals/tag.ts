import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { Tagged } from "../../../daemon/requests.ts";
import type { TagArgs } from "../../declared/observe-commands.ts";
import { badArgument, done, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { thisMachine } from "../../stores/with-contract.ts";
import { commandOf, findSession, processWorld, sessionNotFound, withStore } from "../../stores/with-store.ts";
import { sendAnswer } from "./approve.ts";
import { askGateway, type GatewayWorld, isOfDaemon } from "./elevate.ts";

/** `conduct tag SESSION TAGS` or `--none`: replaces the session's custom tags. Rules may depend on them, so agents may not. */
export async function tag(
  { session: given, tags: written, none = false }: TagArgs,
  { paint }: Terminal,
  world: GatewayWorld = { ...processWorld(), ...thisMachine() },
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can tag a session");
  if (given === "") return badArgument("no session given: 'conduct status' lists them", "conduct tag SESSION TAGS");
  const custom = [...new Set(written.split(",").map((one) => one.trim()))].filter((one) => one !== "");
  if ((custom.length === 0) !== none)
    return badArgument("give either tags or --none", commandOf("tag", given, "release,night"));
  return withStore(
    world,
    async (store) => {
      const found = await findSession(store.events, given);
      if ("near" in found) return sessionNotFound(given, found.near, (id) => commandOf("tag", id, written));
      const { session } = found;
      const failure = (await isOfDaemon(store, session))
        ? await inDaemon(world, session, custom)
        : await askGateway(world, "conduct tag", (client) =>
            client.call("PUT /api/sessions/{id}/custom", { params: { id: session }, body: { custom } }),
          );
      const text = custom.length === 0 ? "no custom tags" : custom.join(", ");
      return failure ?? done({ session, custom }, `\n  ${paint("green", "✓ tagged")} ${session}: ${text}\n\n`);
    },
    () => sessionNotFound(given, [], (id) => commandOf("tag", id, written)),
  );
}

async function inDaemon(world: GatewayWorld, session: string, custom: readonly string[]): Promise<Outcome | undefined> {
  const { kind } = (await sendAnswer(conductHome(world.env), { tags: { session, custom } })) as Tagged;
  return kind === "tagged" ? undefined : failed("NOT_OPEN", `${session}: it has ended`, "conduct status");
}
