import { sendHook } from "../../src/edge/host/daemon/hook-socket-client.ts";
import { remoteHost } from "../../src/edge/host/daemon/remote-session.ts";
import type { SessionHost } from "../../src/engine/moments/session-moments.ts";

/** Sessions behind a socket that can be told a person's answer. Loaded by Pi. */
export function personHost(socket: string): SessionHost {
  const remote = remoteHost({ socket });
  return {
    async open(origin) {
      const session = await remote.open(origin);
      const ask = async (does: string, ...args: readonly unknown[]) =>
        (await sendHook(socket, { moments: origin, does, args }, 10_000)) as { value: never };
      return Object.assign(session, {
        onCall: async (call: object) => (await ask("onCall", call)).value,
        resolve: async (approval: string, answer: string, by: string) =>
          void (await ask("resolve", approval, answer, by)),
      });
    },
  };
}
