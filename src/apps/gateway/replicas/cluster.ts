import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { ReplicaInfo, ReplicaRow, ReplicasStore } from "../../../base/ports/stores/hosting/replicas.ts";
import type { Conversation } from "../../../base/words/hosting/conversation.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { endPause, type Pause, writePause } from "../../../edge/host/daemon/paused.ts";
import type { Figure } from "../../../edge/host/telemetry/gauge-exporter.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { Agents } from "../agents/agents.ts";
import type { Workspaces } from "../agents/workspaces.ts";
import type { Scheduled } from "../channels/scheduled.ts";
import type { Act } from "../conversations/acts.ts";
import type { Conversations } from "../conversations/conversations.ts";
import type { Limits } from "../http/limits.ts";
import type { ReplayAct, ReplayRun, ReplayRuns } from "../http/routes/governance/replay-runs.ts";
import { Listeners } from "../listeners.ts";
import type { ApiSessions, MomentAct } from "../moments/api-sessions.ts";
import type { GatewayStores } from "../stores.ts";
import { liveWire } from "./live-wire.ts";
import type { GiveBack, Leader } from "./ownership.ts";
import { Replica } from "./replica.ts";
import { shareLimits } from "./share-limits.ts";
import { shareUpdates } from "./share-updates.ts";

/** What every replica has to know, besides the live updates of conversations. */
type News =
  | { readonly kind: "updates" | "numbered" | "again" | "resent" }
  | { readonly kind: "limits" }
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "contract" }
  | { readonly kind: "deleted"; readonly conversation: Conversation }
  | { readonly kind: "pause"; readonly pause: Pause | null }
  | { readonly kind: "revoked"; readonly user: string }
  | { readonly kind: "role"; readonly user: User };

export type ClusterParts = {
  readonly conversations: Conversations;
  readonly apiSessions: ApiSessions;
  readonly replays: ReplayRuns;
  readonly stores: Pick<GatewayStores, "conversations">;
  readonly agents: Agents;
  readonly workspaces: Workspaces;
  readonly contracts: ContractService;
  readonly scheduled: Scheduled;
  readonly revocations: Listeners<"revoked">;
  readonly home: string;
  readonly limits: Limits;
};

export type ClusterOptions = {
  readonly store: ReplicasStore;
  readonly clock: Clock;
  readonly info: Omit<ReplicaInfo, "id">;
  readonly report: (line: string) => void;
};

/** How often the runs of schedules of dead replicas are looked for. */
const SCHEDULES_MS = 5_000;

/** The gateways of one PostgreSQL store, as this one sees them. */
export type Cluster = Awaited<ReturnType<typeof joinCluster>>;

/** Joins the gateways of a store. Nothing is shared before `begin`. */
export async function joinCluster({ store, clock, info, report }: ClusterOptions) {
  const replica = await Replica.join({ store, clock, info, report });
  const lost = new Listeners<"lost">();
  const closing: (() => void | Promise<void>)[] = [];
  const tell = (news: News) => void replica.tellOthers(news as unknown as JsonObject);

  async function act(id: string, given: JsonObject, parts: ClusterParts) {
    if (given.kind === "replay")
      return { value: parts.replays.answer(given as unknown as ReplayAct) as unknown as Json };
    const conversation = await parts.stores.conversations.read(id);
    const done =
      conversation === undefined
        ? await parts.apiSessions.performHere(id, given as unknown as MomentAct)
        : await parts.conversations.acts.actHere(conversation, given as unknown as Act);
    return done.kind === "here" ? { value: done.value as unknown as Json } : undefined;
  }

  async function hear(
    news: News,
    { agents, contracts, revocations, conversations, home, workspaces }: ClusterParts,
  ): Promise<void> {
    switch (news.kind) {
      case "agent":
        return agents.reload(news.name);
      case "deleted":
        // Removes the files here, if this gateway has a folder of its own.
        return workspaces.leave(news.conversation, async () => undefined);
      case "contract":
        // Reads the journal, which tells the listeners of this process.
        return contracts.state().then(() => undefined);
      case "pause":
        return news.pause === null ? endPause(home) : writePause(home, news.pause);
      case "revoked":
        return revocations.tell(news.user, "revoked");
      case "role":
        revocations.tell(news.user.id, "revoked");
        return conversations.applyRole(news.user);
    }
  }

  return {
    ownership: replica,
    get id() {
      return replica.id;
    },
    isAlive: (id: string) => replica.isAlive(id),
    list: (): Promise<readonly ReplicaRow[]> => store.list(),
    describe: (url: string) => replica.describe(url),
    isDraining: () => replica.isDraining,
    drain: () => replica.drain(),
    revoke: (user: string) => tell({ kind: "revoked", user }),
    changeRole: (user: User) => tell({ kind: "role", user }),
    /** Pauses the enforcement of all others, or ends it. */
    pause: (pause: Pause | null) => tell({ kind: "pause", pause }),
    /** Others remove the files of a deleted conversation. */
    removeFiles: (conversation: Conversation) => tell({ kind: "deleted", conversation }),
    changeAgent: (name: string) => tell({ kind: "agent", name }),
    /** Asks the gateway that runs a replay. Resolves to `undefined` if it is gone. */
    async askReplay(to: string, asked: ReplayAct): Promise<ReplayRun | null | undefined> {
      const reply = await replica.ask(to, "", asked);
      return reply?.value as ReplayRun | null | undefined;
    },
    /** The right to do something that only one gateway may do, for example polling Telegram. */
    leader(what: string): Leader {
      const lease = `conduct:${what}`;
      let give: GiveBack | undefined;
      lost.subscribe(undefined, () => {
        give = undefined;
      });
      return {
        async take() {
          if (give !== undefined) return true;
          const hold = await replica.take(lease);
          give = hold.kind === "mine" ? hold.give : undefined;
          return give !== undefined;
        },
        async give() {
          await give?.();
          give = undefined;
        },
        onLost: (listener) => lost.subscribe(undefined, listener),
      };
    },
    async begin(parts: ClusterParts): Promise<void> {
      const { conversations, contracts, scheduled } = parts;
      const updates = shareUpdates({
        own: conversations.turns.ownUpdates,
        all: conversations.updates,
        publish: (bodies) => wire.send(bodies),
        hasOthers: () => replica.hasOthers,
      });
      /** The clients of open streams connect again, and read what they have missed. */
      const cutStreams = () => {
        for (const user of [...parts.limits.streams.own.keys()]) parts.revocations.tell(user, "revoked");
      };
      const wire = liveWire({
        self: () => replica.id,
        publish: (bodies) => store.publish(bodies),
        tell: (to, news) => replica.tell(to, news),
        deliver: (body) => updates.hear(body),
        onMissed: cutStreams,
      });
      const limits = shareLimits({
        limits: parts.limits,
        self: () => replica.id,
        isAlive: (id) => replica.isAlive(id),
        publish: (bodies) => store.publish(bodies),
        hasOthers: () => replica.hasOthers,
      });
      closing.push(
        () => limits.close(),
        () => updates.close(),
        () => wire.close(),
        contracts.onNews(() => tell({ kind: "contract" })),
      );
      let lookAgain = 0;
      await replica.begin({
        act: (id, given) => act(id, given, parts),
        hear(news) {
          switch (news.kind) {
            case "limits":
              return limits.hear(news);
            case "updates":
              return updates.hear(news);
            case "numbered":
            case "again":
            case "resent":
              return wire.hear(news);
          }
          hear(news as unknown as News, parts).catch((error: unknown) => report(errorText(error)));
        },
        async lookForWork() {
          await conversations.recovery.lookForWork((limit) => store.waiting(limit));
          if (clock.monotonic() < lookAgain) return;
          lookAgain = clock.monotonic() + SCHEDULES_MS;
          await scheduled.recover();
        },
        async dropAll() {
          lost.tell(undefined, "lost");
          cutStreams();
          await conversations.recovery.dropAll();
        },
        wake: () => conversations.turns.interruptAll(),
        running: () => conversations.turns.running,
        sent: () => wire.sent,
        look: (others) => wire.look(others),
      });
    },
    /** Figures of this replica, and of all together if the store answers. */
    async figures(running: number): Promise<readonly Figure[]> {
      const { lagMs, leases, leaseLosses } = replica.figures;
      const own: readonly Figure[] = [
        { name: "conduct.replica.turns_running", unit: "{turn}", kind: "gauge", value: running },
        { name: "conduct.replica.leases", unit: "{conversation}", kind: "gauge", value: leases },
        { name: "conduct.replica.lease_losses", unit: "{conversation}", kind: "counter", value: leaseLosses },
        { name: "conduct.replica.heartbeat", unit: "s", kind: "gauge", value: lagMs / 1_000 },
      ];
      // The store may be away; the figures of this process must still be shown.
      const backlog = await store.backlog().catch(() => undefined);
      if (backlog === undefined) return own;
      return [
        ...own,
        { name: "conduct.turns_queued", unit: "{turn}", kind: "gauge", value: backlog.queued },
        { name: "conduct.turns_oldest_queued", unit: "s", kind: "gauge", value: backlog.oldestMs / 1_000 },
      ];
    },
    async close(): Promise<void> {
      for (const close of closing) await close();
      await replica.close();
    },
  };
}
