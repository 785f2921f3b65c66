import type { Clock } from "../../base/ports/clock.ts";
import type { UsersStore, UserZones } from "../../base/ports/stores/users.ts";

/** The users' zones in their rows. A person at a local runtime gets a row with the first zone, and no rights. */
export function userZones(users: Pick<UsersStore, "read" | "change" | "add">, clock: Pick<Clock, "now">): UserZones {
  return {
    read: async (user) => (await users.read(user))?.zone,
    async write(user, zone) {
      const changed = await users.change(user, { zone });
      if (changed.kind !== "missing") return;
      const added = await users.add({ id: user, name: user.slice(0, 100), role: "user", zone, at: clock.now() });
      if (added !== "added") await users.change(user, { zone });
    },
  };
}
