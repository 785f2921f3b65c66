import type { ContractsTold, ContractUse, SessionSummary } from "../../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../../base/words/event.ts";
import { oneLine, plural } from "../../../line/printable.ts";
import { stamp } from "../render/render.ts";

/** So many of the newest prompts are looked at for the runs. */
const MOST_PROMPTS = 1_000;

type Prompt = Extract<ConductEvent, { type: "prompt" }>;

/** One run of a session under a contract: its turns, and from when to when. */
type Run = Pick<SessionSummary, "session" | "agent" | "user" | "channel"> & {
  readonly run: string;
  readonly version: number;
  readonly turns: number;
  readonly from: number;
  readonly to: number;
};

/** Who was told a contract; `runs` are those of the newest prompts, the newest first. */
export type ToldTo = ContractUse & { readonly runs: readonly Run[] };

/** What was told under a hash; the first digits are enough. */
export type FoundPrompts = { readonly hash: string; readonly newest: Prompt; readonly runs: readonly Run[] };

/** `undefined` when no prompt that is kept told it. Of two hashes that begin so it is the one that was told last. */
export async function findPrompts(told: ContractsTold, digits: string): Promise<FoundPrompts | undefined> {
  const prompts = (await told.prompts(digits, MOST_PROMPTS)).filter((event) => event.type === "prompt");
  const [newest] = prompts;
  const hash = newest?.contract?.hash;
  if (newest === undefined || hash === undefined) return undefined;
  const runs = Map.groupBy(
    prompts.filter(({ contract }) => contract?.hash === hash),
    ({ session, run }) => JSON.stringify([session, run]),
  );
  return { hash, newest, runs: await Promise.all([...runs.values()].map((some) => runOf(some, told))) };
}

async function runOf(prompts: readonly Prompt[], told: ContractsTold): Promise<Run> {
  const [last] = prompts;
  if (last === undefined) throw new Error("a run has a prompt");
  const { user, channel } = (await told.session(last.session)) ?? {};
  const times = prompts.map(({ at }) => at);
  return {
    session: last.session,
    run: last.run,
    agent: last.agent,
    user,
    channel,
    version: last.contract?.version ?? 0,
    turns: new Set(prompts.map(({ turn }) => turn)).size,
    from: Math.min(...times),
    to: Math.max(...times),
  };
}

/** In how much, and when last. */
export function renderUse({ prompts, sessions, lastAt }: ContractUse): string {
  if (prompts === 0 || lastAt === undefined) return "  not told to anybody yet, as far as the journal goes\n";
  return `  told in ${plural(prompts, "prompt")} of ${plural(sessions, "session")}, last ${stamp(lastAt)}\n`;
}

export function renderRuns(runs: readonly Run[]): string {
  return runs
    .slice(0, 20)
    .map(({ session, agent, channel, user, turns, to }) => {
      const where = [agent, ...(channel === undefined ? [] : [channel]), ...(user === undefined ? [] : [user])];
      return `    ${oneLine(session)}  ${oneLine(where.join(" · "))}  ${plural(turns, "turn")}, last ${stamp(to)}\n`;
    })
    .join("");
}
