import type { CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { commandOf, type JournalWorld, processWorld, withStore } from "../watch/store.ts";
import { openApprovals } from "./open.ts";
import { renderApprovals } from "./render.ts";

/** `conduct approvals` */
export const approvals: CommandBody = (_args, terminal) => runApprovals(terminal, processWorld());

/** Every question that waits for a person, whichever runtime asked it. */
export function runApprovals(terminal: Terminal, world: JournalWorld): Promise<Outcome> {
  const now = world.now();
  return withStore(
    world,
    async (store) => {
      const open = await openApprovals(store, now);
      const [first] = open.filter(({ at }) => at === "daemon");
      const next =
        first === undefined
          ? []
          : [
              { command: commandOf("approve", first.approval), description: "Say yes: one such call passes" },
              { command: commandOf("deny", first.approval), description: "Say no, for the whole session" },
              { command: commandOf("why", first.decision), description: "Why it is asked" },
            ];
      return { ok: true, result: { approvals: open }, text: renderApprovals(open, terminal, now), next };
    },
    () => ({ ok: true, result: { approvals: [] }, text: renderApprovals([], terminal, now), next: [] }),
  );
}
