import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";
import type { Fault } from "./records.ts";
import type { Member, World } from "./world.ts";

export const FAULTS = [
  "kill",
  "freeze",
  "postgres-restart",
  "redis-flush",
  "redis-kill",
  "cut",
  "rolling-restart",
] as const;
export type FaultName = (typeof FAULTS)[number];

export type FaultPlan = {
  readonly kinds: readonly FaultName[];
  /** How long a replica is frozen or cut off. */
  readonly awayMs: number;
  /** Pause between two faults. */
  readonly pauseMs: readonly [from: number, to: number];
};

type Causing = {
  readonly world: World;
  readonly random: Random;
  readonly plan: FaultPlan;
  readonly now: () => number;
  readonly record: (fault: Fault) => void;
  readonly say: (line: string) => void;
};

/** A drained replica may finish its turns, then it must be gone. */
const DRAIN_MS = 35_000;

/** Causes one fault after the other until the time is over and every kind came once. None comes again before all came. */
export async function causeFaults(causing: Causing, until: number): Promise<void> {
  const { plan, random, now } = causing;
  let deck = random.shuffle(plan.kinds);
  let isFirst = true;
  await sleep(2_000);
  while (isFirst || now() < until) {
    if (deck.length === 0) deck = random.shuffle(plan.kinds);
    const kind = deck.pop();
    if (kind !== undefined) await cause(kind, causing);
    isFirst &&= deck.length > 0;
    await sleep(random.between(...plan.pauseMs));
  }
}

async function cause(kind: FaultName, causing: Causing): Promise<void> {
  const { world, random, plan, now, record, say } = causing;
  const at = now();
  switch (kind) {
    case "kill": {
      const victim = busiest(causing);
      say(`kill -9 ${victim.name}`);
      victim.current().signal("SIGKILL");
      await victim.current().ended;
      record({ kind: "kill", replica: victim.name, at, until: at });
      await sleep(random.between(500, 3_000));
      return startAgain(victim, causing);
    }
    case "freeze": {
      const victim = busiest(causing);
      say(`freeze ${victim.name} for ${plan.awayMs / 1_000} s`);
      victim.current().signal("SIGSTOP");
      await sleep(plan.awayMs);
      victim.current().signal("SIGCONT");
      record({ kind: "freeze", replica: victim.name, at, until: now() });
      return reviveIfEnded(victim, causing);
    }
    case "cut": {
      const victim = busiest(causing);
      say(`cut ${victim.name} off from PostgreSQL and Redis for ${plan.awayMs / 1_000} s`);
      victim.setCut(true);
      await sleep(plan.awayMs);
      victim.setCut(false);
      record({ kind: "cut", replica: victim.name, at, until: now() });
      return reviveIfEnded(victim, causing);
    }
    case "postgres-restart": {
      const how = random.pick(["SIGINT", "SIGKILL"] as const);
      say(`restart PostgreSQL (${how})`);
      await world.services.postgres.restart(how, () => sleep(random.between(200, 2_000)));
      record({ kind: "postgres-restart", at, until: now() });
      return;
    }
    case "redis-flush":
      say("flush Redis");
      await world.services.redis.command("FLUSHALL");
      record({ kind: "redis-flush", at, until: at });
      return;
    case "redis-kill":
      say("kill -9 Redis");
      await world.services.redis.signal("SIGKILL");
      await sleep(random.between(500, 3_000));
      await world.services.redis.start();
      record({ kind: "redis-kill", at, until: now() });
      return;
    case "rolling-restart":
      for (const member of world.members) await restartGently(member, causing);
      return;
  }
}

async function restartGently(member: Member, causing: Causing): Promise<void> {
  const { now, record, say } = causing;
  const at = now();
  say(`restart ${member.name} with SIGTERM`);
  member.current().signal("SIGTERM");
  const late = sleep(DRAIN_MS, "late" as const, { ref: false });
  if ((await Promise.race([member.current().ended, late])) === "late") {
    say(`${member.name} did not end within ${DRAIN_MS / 1_000} s of SIGTERM; it is killed`);
    record({ kind: "kill", replica: member.name, at: now(), until: now() });
    member.current().signal("SIGKILL");
    await member.current().ended;
  }
  record({ kind: "drain", replica: member.name, at, until: now() });
  await startAgain(member, causing);
}

/** A replica that lost its lease may end itself; then an orchestrator starts it again. */
async function reviveIfEnded(member: Member, causing: Causing): Promise<void> {
  await sleep(1_000);
  if (!member.current().isRunning()) await startAgain(member, causing);
}

async function startAgain(member: Member, { say }: Causing): Promise<void> {
  try {
    await member.start().ready();
  } catch (error) {
    say(`${member.name} does not start again: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Mostly the replica in which most turns wait for the model, so that faults meet owners of turns. */
function busiest({ world, random }: Causing): Member {
  const running = world.members.filter((member) => member.current().isRunning());
  const candidates = running.length === 0 ? world.members : running;
  const chosen = random.pick(candidates);
  if (random.between(0, 1) < 0.2) return chosen;
  return candidates.reduce(
    (most, one) => (world.model.pending(one.name) > world.model.pending(most.name) ? one : most),
    chosen,
  );
}
