import type { Clock } from "../../base/ports/clock.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type {
  GovernanceDraft,
  GovernanceEntry,
  GovernanceHead,
  GovernanceJournal,
} from "../../base/ports/stores/governance.ts";
import type { HotContract } from "../../base/ports/stores/hot-contract.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { ActiveBehaviorContract, ContractEvent, ContractView } from "../../base/words/contract.ts";
import { contractAt } from "../../behavior/contract/active-contract.ts";
import { CONTRACT_LIMITS, type ContractLimits } from "../../behavior/contract/contract-limits.ts";
import { type ContractState, EMPTY_CONTRACT } from "../../behavior/contract/contract-state.ts";
import type { ChangeDecision, ChangeRequest } from "../../behavior/contract/decide/change-request.ts";
import type { ContractRoom } from "../../behavior/contract/decide/contract-room.ts";
import { contractKinds, readEntry, toDraft } from "../../behavior/contract/journal-entry.ts";
import {
  EMPTY_FOLD,
  foldEntries,
  type JournalFault,
  type JournalFold,
  type JournalRead,
  readOn,
} from "./journal-fold.ts";
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
/** A damaged journal is read again from the start this often: an operator may have repaired it. */
const RETRY_MS = 2_000;

/**
 * The only writer of the contract, for CLI, API, capture and console. What it knows is a fold over the journal, so that every
 * process comes to the same; a change is decided on the newest state and appended right after it, or decided again.
 */
export class ContractService {
  readonly #ports: ContractPorts;
  #fold: JournalFold = EMPTY_FOLD;
  /** That of the fold, with the fault when there is one. */
  #state: ContractState = EMPTY_CONTRACT;
  /** The journal was read to its end, and all of it could be relied on. */
  #wasWhole = false;
  #triedAt = Number.NEGATIVE_INFINITY;
  #firstStored: "unknown" | "stored" | "missing" = "unknown";
  readonly #views = new RememberedContracts();
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** One thing at a time: what is read and what is appended must not cross. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  constructor(ports: ContractPorts) {
    this.#ports = ports;
  }

  /** The last known state, without asking the store; `undefined` when there is none that can be relied on. */
  get known(): ContractState | undefined {
    return this.#wasWhole && this.#state.fault?.trust !== "none" ? this.#state : undefined;
  }

  /**
   * Whether a head was stored outside the journal when it was first read. `missing`: the journal has entries and no stored head, so
   * nobody can tell whether entries were removed before.
   */
  get storedHead(): "unknown" | "stored" | "missing" {
    return this.#firstStored;
  }

  /** Makes a change, or says why not. Durable when it resolves; rejects when the store cannot be reached. */
  change(
    request: ChangeRequest,
    by: string,
    { dryRun = false }: { readonly dryRun?: boolean } = {},
  ): Promise<ChangeDecision> {
    return this.#alone(async () => {
      // Who only reads does not load what decides.
      const { decideChange } = await import("../../behavior/contract/decide/decide-change.ts");
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
          head: this.#fold.head.seq,
          ids,
          counter,
          limits,
        });
        if (dryRun || decision.events.length === 0) return decision;
        const drafts = decision.events.map(readableDraft);
        await hot?.expect(this.#fold.head).catch(() => undefined);
        const appended = await journal.append(this.#fold.head.seq, drafts);
        if (appended === "moved") continue;
        this.#take(foldEntries(this.#fold, appended.entries));
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
    const { roomOf } = await import("../../behavior/contract/decide/contract-room.ts");
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

  /** Verifies the whole journal again, for a process that runs for long: entries that were read before may have been changed since. */
  async audit(): Promise<void> {
    await this.state();
    if (this.#state.fault !== undefined) return;
    const { verifyWhole } = await import("./verify-whole.ts");
    const found = await verifyWhole(this.#ports.journal, this.#fold.head);
    if (found === undefined) return;
    await this.#alone(async () => {
      // Only what still is so when nothing else is under way: somebody may have written or repaired it meanwhile.
      const again = await readOn(this.#ports.journal, EMPTY_FOLD);
      if (again.fault !== undefined) this.#take({ fold: this.#fold, fault: again.fault, stored: again.stored });
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Takes in what others have written since, unless the hot contract says that there is nothing. */
  async #read(): Promise<void> {
    const told = await this.#ports.hot?.newest();
    if (this.known !== undefined && this.#state.fault === undefined && told !== undefined && this.#isHead(told)) {
      this.#checkBehind();
      return;
    }
    await this.#readJournal();
    // Whoever finds it wrong puts it right, and waits for nothing.
    if (told === undefined || !this.#isHead(told)) void this.#announce(told);
  }

  #isHead({ seq, hash }: GovernanceHead): boolean {
    return seq === this.#fold.head.seq && hash === this.#fold.head.hash;
  }

  /** `told`: what the hot contract said before the journal was read. If that is no earlier end, it is none at all. */
  async #announce(told?: GovernanceHead): Promise<void> {
    const { hot } = this.#ports;
    if (hot === undefined || this.#state.fault !== undefined) return;
    const { head } = this.#fold;
    const wrong = told !== undefined && told.seq >= head.seq ? told : undefined;
    await hot.announce(head, this.of(this.#state, {}), wrong).catch(() => undefined);
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
      .then((head) => (this.#isHead(head) ? undefined : this.#alone(take)))
      .catch(() => undefined);
  }

  async #readJournal(): Promise<void> {
    if (this.#state.fault !== undefined) return this.#readAgain();
    const { journal, hot, clock } = this.#ports;
    const read = await readOn(journal, this.#fold);
    this.#noteStored(read);
    this.#take(read);
    if (read.fault !== undefined) return;
    this.#wasWhole = true;
    if (hot !== undefined) this.#checkedAt = clock.monotonic();
    await this.#storeHead(read);
  }

  /** From the start: an operator may have repaired the journal, or put back what was lost. */
  async #readAgain(): Promise<void> {
    const now = this.#ports.clock.monotonic();
    if (now - this.#triedAt < RETRY_MS) return;
    this.#triedAt = now;
    const read = await readOn(this.#ports.journal, EMPTY_FOLD);
    if (read.fault !== undefined || !(await this.#continues(read.fold))) return;
    this.#fold = read.fold;
    this.#state = read.fold.state;
    this.#wasWhole = true;
    await this.#storeHead(read);
    this.#tell();
  }

  /** A journal without entries that this process has relied on is another one, unless an operator's repair says so. */
  async #continues({ head, repairedAt }: JournalFold): Promise<boolean> {
    const known = this.#fold;
    if (!this.#wasWhole || known.head.seq === 0 || repairedAt > known.repairedAt) return true;
    if (head.seq < known.head.seq) return false;
    const { entries } = await this.#ports.journal.read({ from: known.head.seq, limit: 1 });
    return entries[0]?.hash === known.head.hash;
  }

  #noteStored({ fold, stored }: JournalRead): void {
    if (this.#firstStored !== "unknown" || this.#ports.journal.witness === undefined) return;
    this.#firstStored = stored === undefined && fold.head.seq > 0 ? "missing" : "stored";
  }

  /** A writer may have been killed between its entry and the head, or be of an older version that stores none. */
  async #storeHead({ fold: { head }, stored }: JournalRead): Promise<void> {
    if (head.seq > (stored?.seq ?? 0)) await this.#ports.journal.witness?.add([head]);
  }

  /** A journal that cannot be relied on ends what is taken from it: the state stays as it was before that entry. */
  #take({ fold, fault, stored }: JournalRead): void {
    const before = this.#fold.state;
    this.#fold = fold;
    this.#state = fault === undefined ? fold.state : { ...fold.state, fault: this.#trusted(fault, stored) };
    // What is read for the first time is no change.
    if (this.#wasWhole && (fold.state !== before || fault !== undefined)) this.#tell();
  }

  /** The state of this process stays in force only if it has every entry that is known to have been written. */
  #trusted({ seq, message }: JournalFault, stored: GovernanceHead | undefined) {
    this.#triedAt = this.#ports.clock.monotonic();
    const hasAll = this.#wasWhole && this.#fold.head.seq >= (stored?.seq ?? 0);
    return { seq, message, trust: hasAll ? "last-known" : "none" } as const;
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
