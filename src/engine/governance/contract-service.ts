import type { Clock } from "../../base/ports/clock.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { GovernanceDraft, GovernanceHead, GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { HotContract } from "../../base/ports/stores/hot-contract.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { ActiveBehaviorContract, ContractEvent, ContractView } from "../../base/words/contract.ts";
import {
  CONTRACT_LIMITS,
  type ContractLimits,
  type ContractPoint,
  type ContractUsage,
  contractAt,
  contractUsage,
} from "../../behavior/contract/active-contract.ts";
import { type ContractState, EMPTY_CONTRACT } from "../../behavior/contract/contract-state.ts";
import type { ChangeDecision, ChangeRequest } from "../../behavior/contract/decide/change-request.ts";
import { readEntry, toDraft } from "../../behavior/contract/journal-entry.ts";
import type { Keywords } from "../../behavior/contract/parse/directive-form.ts";
import {
  contractHistory,
  EMPTY_FOLD,
  foldEntries,
  type JournalFault,
  type JournalFold,
  type JournalRead,
  readOn,
  searchEvents,
  verifyWhole,
} from "./journal-fold.ts";
import { RememberedContracts } from "./remembered-contracts.ts";

export type ContractPorts = {
  readonly journal: GovernanceJournal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly counter: () => Promise<TokenCounter>;
  readonly limits?: ContractLimits;
  /** The words that open a directive in a message. */
  readonly keywords?: Keywords;
  /** Lets a turn skip the journal while nothing has changed. */
  readonly hot?: HotContract;
};

/** The result of a finished review, in numbers. */
export type ReviewNews = {
  readonly kind: "reviewed";
  readonly at: number;
  readonly by: string;
  readonly run: string;
  readonly sessions: number;
  readonly messages: number;
  readonly proposed: number;
  readonly merged: number;
  readonly refused: number;
};

/** What one process has written to the governance journal: a decision with its events, or a review. */
export type ContractNews = ChangeDecision | ReviewNews;

/** Attempts when other writers append first; each time one of them has succeeded. */
const TRIES = 100;
/** A damaged journal is read again from the start this often: an operator may have repaired it. */
const RETRY_MS = 2_000;

/**
 * The only writer of the contract, for CLI, API, capture and console. Its state is a fold over the journal, the same
 * in every process. A change is decided on the newest state and appended right after it, or decided again.
 */
export class ContractService {
  readonly #ports: ContractPorts;
  #fold: JournalFold = EMPTY_FOLD;
  /** The state of the fold, plus the fault if there is one. */
  #state: ContractState = EMPTY_CONTRACT;
  /** The journal was read to its end and verified. */
  #wasWhole = false;
  #triedAt = Number.NEGATIVE_INFINITY;
  #firstStored: "unknown" | "stored" | "missing" = "unknown";
  readonly #views = new RememberedContracts();
  /** Serialises reads and appends. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();
  readonly #newsListeners = new Set<(news: ContractNews) => void>();

  constructor(ports: ContractPorts) {
    this.#ports = ports;
  }

  get keywords(): Keywords | undefined {
    return this.#ports.keywords;
  }

  /** The last known state, without asking the store; `undefined` when it cannot be trusted. */
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
      // Loaded on use: readers do not need it.
      const { decideChange } = await import("../../behavior/contract/decide/decide-change.ts");
      const { unsoundRequest } = await import("./check-request.ts");
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
        this.tellNews(decision);
        return decision;
      }
      throw new Error("other processes keep writing to the journal; nothing was changed, try again");
    });
  }

  state(): Promise<ContractState> {
    return this.#alone(async () => {
      await this.#read();
      return this.#state;
    });
  }

  /** The contract in force for a view. */
  async contract(view: ContractView): Promise<ActiveBehaviorContract> {
    return this.of(await this.state(), view);
  }

  /** The contract of an earlier state for a view. */
  of(state: ContractState, view: ContractView): ActiveBehaviorContract {
    return this.#views.for(state, view, this.#ports.clock.now());
  }

  /** The remaining capacity in a state, and the size of one of its blocks. */
  async room(state: ContractState, contract: ActiveBehaviorContract): Promise<ContractUsage> {
    return contractUsage(state, contract, await this.#ports.counter(), this.#ports.limits ?? CONTRACT_LIMITS);
  }

  /**
   * Calls the listener when the contract has changed, as soon as this process knows. Returns a function that
   * unsubscribes.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listener with everything that this process has written, for telemetry and search. */
  onNews(listener: (news: ContractNews) => void): () => void {
    this.#newsListeners.add(listener);
    return () => void this.#newsListeners.delete(listener);
  }

  /** The review calls this when its result is stored. */
  tellNews(news: ContractNews): void {
    tellAll(this.#newsListeners, news);
  }

  /** The contract in force at that point. */
  async at(point: ContractPoint, view: ContractView): Promise<ActiveBehaviorContract> {
    return contractAt(await contractHistory(this.#ports.journal), point, view);
  }

  /** Changes, the newest first; `before` is a sequence to continue from. */
  async events(
    query: { readonly limit?: number; readonly before?: number; readonly search?: string } = {},
  ): Promise<readonly ContractEvent[]> {
    const { limit = 50, before = Number.POSITIVE_INFINITY, search } = query;
    if (search !== undefined) return searchEvents(this.#ports.journal, search, before, limit);
    const found = (await contractHistory(this.#ports.journal)).filter((event) => event.seq < before);
    return found.reverse().slice(0, limit);
  }

  /** Verifies the whole journal again, for a process that runs for long: entries that were read before may have been changed since. */
  async audit(): Promise<void> {
    await this.state();
    if (this.#state.fault !== undefined) return;
    const found = await verifyWhole(this.#ports.journal, this.#fold.head);
    if (found === undefined) return;
    await this.#alone(async () => {
      // Checked again alone: another process may have written or repaired it meanwhile.
      const again = await readOn(this.#ports.journal, EMPTY_FOLD);
      if (again.fault !== undefined) this.#take({ fold: this.#fold, fault: again.fault, stored: again.stored });
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Reads new entries, unless the hot contract and the journal's head say that there are none. */
  async #read(): Promise<void> {
    const { hot, journal } = this.#ports;
    const announced = await hot?.newest();
    const isCurrent = () => announced !== undefined && this.#isHead(announced);
    if (this.known !== undefined && this.#state.fault === undefined && isCurrent()) {
      // A writer may not know the hot contract. While the journal cannot be reached, the announcement is enough.
      const head = await journal.head().catch(() => undefined);
      if (head === undefined || this.#isHead(head)) return;
    }
    await this.#readJournal();
    // A wrong announcement is corrected in the background.
    if (!isCurrent()) void this.#announce(announced);
  }

  #isHead({ seq, hash }: GovernanceHead): boolean {
    return seq === this.#fold.head.seq && hash === this.#fold.head.hash;
  }

  /** `announced` is the head that the hot contract named before the journal was read. A later head than ours is wrong. */
  async #announce(announced?: GovernanceHead): Promise<void> {
    const { hot } = this.#ports;
    if (hot === undefined || this.#state.fault !== undefined) return;
    const { head } = this.#fold;
    const wrong = announced !== undefined && announced.seq >= head.seq ? announced : undefined;
    await hot.announce(head, this.of(this.#state, {}), wrong).catch(() => undefined);
  }

  async #readJournal(): Promise<void> {
    if (this.#state.fault !== undefined) return this.#readAgain();
    const read = await readOn(this.#ports.journal, this.#fold);
    this.#noteStored(read);
    this.#take(read);
    if (read.fault !== undefined) return;
    this.#wasWhole = true;
    await this.#storeHead(read);
  }

  /** Reads from the start, because an operator may have repaired the journal. */
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
    tellAll(this.#listeners, undefined);
  }

  /** A journal that lacks entries this process has relied on is a different one, unless a repair explains it. */
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

  /** With a fault, the state stays as it was before the faulty entry. */
  #take({ fold, fault, stored }: JournalRead): void {
    const before = this.#fold.state;
    this.#fold = fold;
    this.#state = fault === undefined ? fold.state : { ...fold.state, fault: this.#trusted(fault, stored) };
    // The first read is no change.
    if (this.#wasWhole && (fold.state !== before || fault !== undefined)) tellAll(this.#listeners, undefined);
  }

  /** The state stays in force only if it includes every entry that is known to have been written. */
  #trusted({ seq, message }: JournalFault, stored: GovernanceHead | undefined) {
    this.#triedAt = this.#ports.clock.monotonic();
    const hasAll = this.#wasWhole && this.#fold.head.seq >= (stored?.seq ?? 0);
    return { seq, message, trust: hasAll ? "last-known" : "none" } as const;
  }
}

/** A listener that throws is removed. */
function tellAll<T>(listeners: Set<(news: T) => void>, news: T): void {
  for (const listener of [...listeners]) {
    try {
      listener(news);
    } catch {
      listeners.delete(listener);
    }
  }
}

/** An entry that cannot be read back would break the journal for everybody, so it is not written. */
function readableDraft(event: ContractEvent): GovernanceDraft {
  const draft = toDraft(event);
  const again = readEntry({ seq: event.seq, ...draft });
  if (again === undefined || "fault" in again)
    throw new Error(`a change of kind ${draft.kind} cannot be stored in the journal`);
  return draft;
}
