import type { Clock } from "../../base/ports/clock.ts";
import type {
  GovernanceDraft,
  GovernanceEntry,
  GovernanceHead,
  GovernanceJournal,
} from "../../base/ports/governance.ts";
import type { HotContract } from "../../base/ports/hot-contract.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { ActiveBehaviorContract, ContractEvent, ContractView } from "../../base/words/contract.ts";
import { contractAt } from "../../behavior/contract/active-contract.ts";
import type { ChangeDecision, ChangeRequest } from "../../behavior/contract/change-request.ts";
import { CONTRACT_LIMITS, type ContractLimits } from "../../behavior/contract/contract-limits.ts";
import type { ContractRoom } from "../../behavior/contract/contract-room.ts";
import { applyEvent, type ContractState, EMPTY_CONTRACT } from "../../behavior/contract/contract-state.ts";
import { contractKinds, readEntry, toDraft } from "../../behavior/contract/journal-entry.ts";
import { CHAIN_START, verifyChain } from "../journal/governance-chain.ts";
import { RememberedContracts } from "./remembered-contracts.ts";

export type ContractPorts = {
  readonly journal: GovernanceJournal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly counter: () => Promise<TokenCounter>;
  readonly limits?: ContractLimits;
  /** Spares a turn the look at the journal while nothing has changed. */
  readonly hot?: HotContract;
};

/** Entries read at once. */
const PAGE = 1_000;
/** So often somebody else may be faster; each time one of the writers has won. */
const TRIES = 100;
/** With a hot contract the journal is looked at behind the turns, so often: for what a writer without one has changed. */
const CHECK_MS = 5_000;

/**
 * The only writer of the contract, for CLI, API, capture and console. What it knows is a fold over the journal, so that every
 * process comes to the same; a change is decided on the newest state and appended right after it, or decided again.
 */
export class ContractService {
  readonly #ports: ContractPorts;
  #state: ContractState = EMPTY_CONTRACT;
  #head: GovernanceHead = CHAIN_START;
  #wasRead = false;
  readonly #views = new RememberedContracts();
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** One thing at a time: what is read and what is appended must not cross. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  constructor(ports: ContractPorts) {
    this.#ports = ports;
  }

  /** The last known state, without asking the store; `undefined` when nothing was ever read. */
  get known(): ContractState | undefined {
    return this.#wasRead ? this.#state : undefined;
  }

  /** Makes a change, or says why not. Durable when it resolves; rejects when the store cannot be reached. */
  change(
    request: ChangeRequest,
    by: string,
    { dryRun = false }: { readonly dryRun?: boolean } = {},
  ): Promise<ChangeDecision> {
    return this.#alone(async () => {
      // Who only reads does not load what decides.
      const { decideChange } = await import("../../behavior/contract/decide-change.ts");
      const { unsoundRequest } = await import("./unsound-request.ts");
      const unsound = unsoundRequest(request);
      const counter = await this.#ports.counter();
      for (let tries = 0; tries < TRIES; tries++) {
        await this.#readJournal();
        if (unsound !== undefined) return { ...unsound, events: [], state: this.#state };
        const { clock, ids, limits, journal, hot } = this.#ports;
        const decision = decideChange(this.#state, request, {
          now: clock.now(),
          by,
          head: this.#head.seq,
          ids,
          counter,
          ...(limits === undefined ? {} : { limits }),
        });
        if (dryRun || decision.events.length === 0) return decision;
        const drafts = decision.events.map(readableDraft);
        await hot?.expect(this.#head).catch(() => undefined);
        const appended = await journal.append(this.#head.seq, drafts);
        if (appended === "moved") continue;
        this.#take(appended.entries);
        await this.#announce();
        return decision;
      }
      throw new Error("the journal is written to without a pause: nothing was changed, try again");
    });
  }

  /** As it is now. */
  state(): Promise<ContractState> {
    return this.#alone(async () => {
      await this.#read();
      return this.#state;
    });
  }

  /** What is in force for a view now. */
  async contract(view: ContractView): Promise<ActiveBehaviorContract> {
    return this.of(await this.state(), view);
  }

  /** What a state that was read before says for a view now. */
  of(state: ContractState, view: ContractView): ActiveBehaviorContract {
    return this.#views.for(state, view, this.#ports.clock.now());
  }

  /** What is left of the cap in a state, and the size of one of its blocks. */
  async room(state: ContractState, contract: ActiveBehaviorContract): Promise<ContractRoom> {
    const { roomOf } = await import("../../behavior/contract/contract-room.ts");
    return roomOf(state, contract, await this.#ports.counter(), this.#ports.limits ?? CONTRACT_LIMITS);
  }

  /** Hears that something was decided, by whomever, as soon as this process knows of it. Returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What was in force then. */
  async at(
    point: { readonly seq: number } | { readonly at: number },
    view: ContractView,
  ): Promise<ActiveBehaviorContract> {
    return contractAt(await this.#history(), point, view);
  }

  /** What has changed it, the newest first; `before` is a sequence to go on from. */
  async events(
    query: { readonly limit?: number; readonly before?: number; readonly search?: string } = {},
  ): Promise<readonly ContractEvent[]> {
    const { limit = 50, before = Number.POSITIVE_INFINITY, search } = query;
    if (search !== undefined) return this.#search(search, before, limit);
    const found = (await this.#history()).filter((event) => event.seq < before);
    return found.reverse().slice(0, limit);
  }

  async #search(text: string, before: number, limit: number): Promise<readonly ContractEvent[]> {
    const events: ContractEvent[] = [];
    for (let from = before; events.length < limit; ) {
      const found = await this.#ports.journal.search({ text, before: from, limit: PAGE });
      events.push(...eventsOf(found));
      if (found.length < PAGE) break;
      from = found.at(-1)?.seq ?? 0;
    }
    return events.slice(0, limit);
  }

  async #history(): Promise<ContractEvent[]> {
    const events: ContractEvent[] = [];
    for (let from: number | undefined = 1; from !== undefined; ) {
      const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await this.#ports.journal.read({
        from,
        kinds: contractKinds(),
        limit: PAGE,
      });
      events.push(...eventsOf(page.entries));
      from = page.next;
    }
    return events;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Takes in what others have written since, unless the hot contract says that there is nothing. */
  async #read(): Promise<void> {
    const told = await this.#ports.hot?.newest();
    if (this.#wasRead && told !== undefined && this.#isHead(told)) {
      this.#checkBehind();
      return;
    }
    await this.#readJournal();
    // Whoever finds it wrong puts it right, and waits for nothing.
    if (told === undefined || !this.#isHead(told)) void this.#announce(told);
  }

  #isHead({ seq, hash }: GovernanceHead): boolean {
    return seq === this.#head.seq && hash === this.#head.hash;
  }

  /** `told`: what the hot contract said before the journal was read. If that is no earlier end, it is none at all. */
  async #announce(told?: GovernanceHead): Promise<void> {
    const { hot } = this.#ports;
    if (hot === undefined || this.#state.fault !== undefined) return;
    const wrong = told !== undefined && told.seq >= this.#head.seq ? told : undefined;
    await hot.announce(this.#head, this.of(this.#state, {}), wrong).catch(() => undefined);
  }

  /** A writer may have been cut off from the hot contract, or know of none: then the turns after this one see it. */
  #checkBehind(): void {
    const { journal, clock } = this.#ports;
    const now = clock.monotonic();
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    const take = async () => {
      await this.#readJournal();
      await this.#announce();
    };
    journal
      .head()
      .then(({ seq }) => (seq > this.#head.seq ? this.#alone(take) : undefined))
      .catch(() => undefined);
  }

  async #readJournal(): Promise<void> {
    while (this.#state.fault === undefined) {
      // From the last one that is known: is it still there, and the same?
      const { entries, next } = await this.#ports.journal.read({ from: Math.max(this.#head.seq, 1), limit: PAGE });
      const { seq, hash } = this.#head;
      if (seq > 0 && entries[0]?.hash !== hash) {
        this.#fail(
          seq,
          `entry ${seq} is not there as it was read before: the journal was cut off or put back from a copy`,
        );
        return;
      }
      this.#take(seq > 0 ? entries.slice(1) : entries);
      this.#wasRead = true;
      if (this.#ports.hot !== undefined) this.#checkedAt = this.#ports.clock.monotonic();
      if (next === undefined) return;
    }
  }

  /** A chain that is broken, or an entry that is damaged, ends what can be relied on: the state stays as it was before. */
  #take(entries: readonly GovernanceEntry[]): void {
    if (entries.length === 0 || this.#state.fault !== undefined) return;
    const check = verifyChain(entries, this.#head);
    const before = this.#state;
    for (const entry of entries) {
      if (check.kind === "broken" && entry.seq >= check.seq) {
        this.#fail(entry.seq, `the journal's chain is broken at entry ${check.seq} (${check.fault})`);
        return;
      }
      const event = readEntry(entry);
      if (event !== undefined && "fault" in event) {
        this.#fail(entry.seq, event.fault);
        return;
      }
      if (event !== undefined) this.#state = applyEvent(this.#state, event);
      this.#head = { seq: entry.seq, hash: entry.hash };
    }
    // What is read for the first time is no change.
    if (this.#wasRead && this.#state !== before) this.#tell();
  }

  /** A listener that fails is not told again, and breaks nothing. */
  #tell(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }

  #fail(seq: number, message: string): void {
    this.#state = { ...this.#state, fault: { seq, message } };
  }
}

/** What could not be read again would end what can be relied on, for everybody: rather nothing is written. */
function readableDraft(event: ContractEvent): GovernanceDraft {
  const draft = toDraft(event);
  const again = readEntry({ seq: event.seq, ...draft });
  if (again === undefined || "fault" in again)
    throw new Error(`a change of kind ${draft.kind} cannot be kept as it is`);
  return draft;
}

/** Those of the entries that are about the contract. */
function eventsOf(entries: readonly GovernanceEntry[]): readonly ContractEvent[] {
  return entries.flatMap((entry) => {
    const event = readEntry(entry);
    // A past with a hole in it would be another past.
    if (event !== undefined && "fault" in event) throw new Error(`${event.fault}: run conduct journal verify`);
    return event ?? [];
  });
}
