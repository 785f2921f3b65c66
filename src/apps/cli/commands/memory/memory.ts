import type { NotesStore } from "../../../../base/ports/stores/memory.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { plural, printableLine } from "../../../shared/printable.ts";
import type { MemoryArgs, MemoryForgetArgs, MemoryListArgs } from "../../declared/observe-commands.ts";
import { badArgument, done, type Outcome, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { withHomeStores } from "../../stores/with-contract.ts";

const MOST = 200;
/** The user that the gateway's login link signs in. */
const OPERATOR = "operator";

export type MemoryWorld = { readonly env: NodeJS.ProcessEnv; readonly inside: () => AgentAround | undefined };

const here = (): MemoryWorld => ({ env: process.env, inside: () => insideAgent() });

export async function memoryList(
  args: MemoryListArgs,
  { paint }: Terminal,
  world: MemoryWorld = here(),
): Promise<Outcome> {
  return withNotes(args, world, async (notes, owner) => {
    const found = await notes.search(owner, { limit: MOST, text: args.search });
    const lines = found.notes.map(
      (note) => `  ${paint("dim", note.id)}  ${printableLine(note.text)}  ${paint("dim", day(note.at))}`,
    );
    const more = found.total > found.notes.length ? [`  and ${found.total - found.notes.length} more: --search`] : [];
    const none = `  ${owner.agent} has no notes about ${owner.user}.`;
    const shown = `\n${(lines.length === 0 ? [none] : [...lines, ...more]).join("\n")}\n\n`;
    const next = found.notes.slice(0, 1).map(({ id }) => ({
      command: `conduct memory forget ${id} --agent=${owner.agent} --user=${owner.user}`,
      description: "Delete a note",
    }));
    return done({ ...owner, notes: found.notes, total: found.total }, shown, next);
  });
}

export async function memoryForget(
  args: MemoryForgetArgs,
  { paint }: Terminal,
  world: MemoryWorld = here(),
): Promise<Outcome> {
  const around = world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can delete a note");
  const { id } = args;
  if (id === "") return badArgument("no note given", "list the ids with: conduct memory list");
  return withNotes(args, world, async (notes, owner) => {
    if (!(await notes.remove(owner, id)))
      return badArgument(
        `${owner.agent} has no note '${id}' of ${owner.user}`,
        `list the notes: conduct memory list --agent=${owner.agent} --user=${owner.user}`,
        "NO_NOTE",
      );
    const text = `\n  ${paint("green", "✓")} deleted: ${id}\n\n`;
    return done({ ...owner, forgotten: id }, text);
  });
}

async function withNotes(
  args: MemoryArgs,
  { env }: MemoryWorld,
  use: (notes: NotesStore, owner: { readonly agent: string; readonly user: string }) => Promise<Outcome>,
): Promise<Outcome> {
  const { agent, user = OPERATOR } = args;
  if (agent === undefined) return badArgument("no agent given", "add --agent=NAME");
  return withHomeStores(env, ({ memory }) => use(memory, { agent, user }));
}

function day(at: number): string {
  return plural(Math.max(0, Math.floor((Date.now() - at) / 86_400_000)), "day").concat(" ago");
}
