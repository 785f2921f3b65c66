import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../../../edge/stores/home-stores.ts";
import { StoreError } from "../../../../edge/stores/sql/store-error.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { plural, printableLine } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { badArgument } from "../behavior/answers.ts";
import { failure } from "../behavior/failure.ts";

const MOST = 200;
/** Who the gateway's own login link signs in. */
const OPERATOR = "operator";

/** What the commands need of the world; a test gives its own. */
export type MemoryWorld = { readonly env: NodeJS.ProcessEnv; readonly inside: () => AgentAround | undefined };

const here = (): MemoryWorld => ({ env: process.env, inside: () => insideAgent() });

/** `conduct memory list --agent A [--user U] [--search TEXT]` */
export const memoryList: CommandBody = (args, terminal) => runMemoryList(args, terminal, here());

/** `conduct memory forget ID --agent A [--user U]` */
export const memoryForget: CommandBody = (args, terminal) => runMemoryForget(args, terminal, here());

export async function runMemoryList(args: Arguments, { paint }: Terminal, world: MemoryWorld): Promise<Outcome> {
  return withNotes(args, world, async (notes, owner) => {
    const text = textOf(args.search);
    const found = await notes.search(owner, { limit: MOST, text });
    const lines = found.notes.map(
      (note) => `  ${paint("dim", note.id)}  ${printableLine(note.text)}  ${paint("dim", day(note.at))}`,
    );
    const more = found.total > found.notes.length ? [`  and ${found.total - found.notes.length} more: --search`] : [];
    const none = `  ${owner.agent} was told to remember nothing of ${owner.user}.`;
    const shown = `\n${(lines.length === 0 ? [none] : [...lines, ...more]).join("\n")}\n\n`;
    const next = found.notes.slice(0, 1).map(({ id }) => ({
      command: `conduct memory forget ${id} --agent=${owner.agent} --user=${owner.user}`,
      description: "Take a note out",
    }));
    return { ok: true, result: { ...owner, notes: found.notes, total: found.total }, text: shown, next };
  });
}

export async function runMemoryForget(args: Arguments, { paint }: Terminal, world: MemoryWorld): Promise<Outcome> {
  const around = world.inside();
  if (around !== undefined) {
    const message = `this is run by ${around.agent} (${around.sign}), and only a person takes a note out`;
    return { ok: false, code: "INSIDE_AGENT", message, fix: "run it in a terminal of your own", next: [] };
  }
  const id = textOf(args.id) ?? "";
  if (id === "") return badArgument("it is not said which note", "conduct memory list shows their ids");
  return withNotes(args, world, async (notes, owner) => {
    if (!(await notes.remove(owner, id)))
      return badArgument(
        `${owner.agent} has no note '${id}' of ${owner.user}`,
        `see what there is: conduct memory list --agent=${owner.agent} --user=${owner.user}`,
        "NO_NOTE",
      );
    const text = `\n  ${paint("green", "✓")} forgotten: ${id}\n\n`;
    return { ok: true, result: { ...owner, forgotten: id }, text, next: [] };
  });
}

type Notes = ReturnType<typeof homeStores>["memory"];

async function withNotes(
  args: Arguments,
  { env }: MemoryWorld,
  use: (notes: Notes, owner: { readonly agent: string; readonly user: string }) => Promise<Outcome>,
): Promise<Outcome> {
  const agent = textOf(args.agent);
  if (agent === undefined) return badArgument("it is not said whose memory", "add --agent=NAME");
  const stores = homeStores(storePlace(env, conductHome(env)));
  try {
    return await use(stores.memory, { agent, user: textOf(args.user) ?? OPERATOR });
  } catch (error) {
    if (error instanceof StoreError) return failure(error);
    throw error;
  } finally {
    await stores.close();
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function day(at: number): string {
  return plural(Math.max(0, Math.floor((Date.now() - at) / 86_400_000)), "day").concat(" ago");
}
