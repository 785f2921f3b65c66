import { join } from "node:path";
import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { AgentsStore } from "../../../base/ports/stores/agents.ts";
import type { InstructionsStore } from "../../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../../base/ports/stores/memory.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import type { UserAgent } from "../../../base/words/hosting/instructions.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { changeItems } from "../../../behavior/instructions/change-items.ts";
import { loadConfigText } from "../../../edge/host/opening/load-config.ts";
import {
  type ReadAgent,
  readAgent,
  readCustomization,
  readItems,
  readNotes,
  readOwner,
  readTime,
} from "./spec010-rows.ts";
import { keepOriginals, type Spec010Source, type Spec010Table } from "./spec010-source.ts";

const USER_ID = /^[\w.@-]{1,60}$/;
/** The author of migrated entries. */
const BY = "spec010";
const NOTES_PAGE = 500;

export type Spec010Target = {
  readonly agents: AgentsStore;
  readonly instructions: InstructionsStore;
  readonly memory: MemoryStore;
  readonly users: Pick<UsersStore, "read" | "add">;
};

export type Spec010Options = {
  readonly target: Spec010Target;
  /** The folder for the original rows. */
  readonly home: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dryRun: boolean;
  /** Called for every row that was read. */
  readonly onRow: () => void;
};

/** `left`: changed here since, or not from SPEC-010, and left unchanged. */
type Counts = { rows: number; written: number; same: number; left: number };

export type Spec010Report = {
  readonly agents: Counts;
  /** Counted by user and agent. `inactive`: rows that were disabled. */
  readonly instructions: Counts & { inactive: number; merged: number };
  readonly notes: Omit<Counts, "left">;
  /** Migrated users have no key; an operator creates a login link for each. */
  readonly users: Omit<Counts, "left">;
  /** Rows that could not be migrated or need attention. */
  readonly problems: readonly string[];
  /** Values that have no place here, by agent and column. */
  readonly notCarried: readonly string[];
  /** The file with the original rows; absent on a dry run. */
  readonly originals?: string;
};

/** Migrates a SPEC-010 database. Repeatable: later changes made here are kept. */
export async function migrateSpec010(source: Spec010Source, options: Spec010Options): Promise<Spec010Report> {
  const kept = options.dryRun ? undefined : await keepOriginals(source, options.home, options.onRow);
  return new Migration(source, options).run(kept?.file);
}

class Migration {
  readonly #source: Spec010Source;
  readonly #options: Spec010Options;
  readonly #problems: string[] = [];
  readonly #notCarried: string[] = [];
  /** Agent names by id. */
  readonly #names = new Map<string, string>();
  readonly #agents: Spec010Report["agents"] = { rows: 0, written: 0, same: 0, left: 0 };
  readonly #instructions = { rows: 0, written: 0, same: 0, left: 0, inactive: 0, merged: 0 };
  readonly #notes = { rows: 0, written: 0, same: 0 };
  readonly #users = new Set<string>();

  constructor(source: Spec010Source, options: Spec010Options) {
    this.#source = source;
    this.#options = options;
  }

  async run(originals: string | undefined): Promise<Spec010Report> {
    await this.#moveAgents();
    await this.#moveInstructions();
    await this.#moveNotes();
    const users = await this.#moveUsers();
    const [agents, instructions, notes, problems] = [this.#agents, this.#instructions, this.#notes, this.#problems];
    return { agents, instructions, notes, users, problems, notCarried: this.#notCarried, originals };
  }

  async *#rows(table: Spec010Table): AsyncGenerator<JsonObject> {
    if (!this.#source.tables.has(table)) return;
    for await (const row of this.#source.rows(table)) {
      this.#options.onRow();
      yield row;
    }
  }

  async #moveAgents(): Promise<void> {
    const seen = new Set<string>();
    for await (const row of this.#rows("agent_configurations")) {
      this.#agents.rows += 1;
      const read = readAgent(row);
      if (read === undefined) this.#problems.push("a row of agent_configurations names no agent");
      else if (seen.has(read.name))
        this.#problems.push(`agent_configurations has '${read.name}' more than once; the first one is migrated`);
      else await this.#moveAgent(read);
      if (read === undefined) continue;
      for (const column of read.left) this.#notCarried.push(notCarried(read.name, column, row[column]));
      seen.add(read.name);
      if (typeof row.id === "string" || typeof row.id === "number") this.#names.set(`${row.id}`, read.name);
    }
  }

  async #moveAgent({ name, definition }: ReadAgent): Promise<void> {
    const { target, clock, home } = this.#options;
    const newest = await target.agents.read(name);
    if (newest !== undefined && newest.by !== BY) {
      this.#agents.left += 1;
      this.#problems.push(
        `agent '${name}' already exists here, version ${newest.version} by ${newest.by}: left unchanged`,
      );
      return;
    }
    if (newest !== undefined && canonicalJson(newest.definition) === canonicalJson(definition)) {
      this.#agents.same += 1;
      return;
    }
    const text = JSON.stringify({ agents: { [name]: definition } });
    const { parsed } = await loadConfigText(text, join(home, "conduct.yaml"), `agents/${name}`);
    if ("faults" in parsed) {
      this.#problems.push(`agent '${name}': ${parsed.faults.map(({ message }) => message).join("; ")}`);
      return;
    }
    this.#agents.written += 1;
    const reason = newest === undefined ? "migrated from SPEC-010" : "changed in the SPEC-010 database";
    const write = { definition, at: clock.now(), by: BY, reason };
    if (!this.#options.dryRun && !(await target.agents.put(name, newest?.version ?? 0, write))) throw moved(name);
  }

  async #moveInstructions(): Promise<void> {
    let group: { readonly owner: UserAgent; readonly rows: JsonObject[] } | undefined;
    for await (const row of this.#rows("user_agent_prompt_customizations")) {
      this.#instructions.rows += 1;
      if (row.is_active === false) this.#instructions.inactive += 1;
      const owner = readOwner(row, this.#names);
      if (owner === undefined) {
        this.#problems.push("a row of user_agent_prompt_customizations names no user or no agent");
      } else if (group !== undefined && group.owner.user === owner.user && group.owner.agent === owner.agent) {
        group.rows.push(row);
      } else {
        if (group !== undefined) await this.#moveOwner(group.owner, group.rows);
        group = { owner, rows: [row] };
      }
    }
    if (group !== undefined) await this.#moveOwner(group.owner, group.rows);
  }

  async #moveOwner(owner: UserAgent, rows: readonly JsonObject[]): Promise<void> {
    const { target, clock, ids, dryRun } = this.#options;
    this.#users.add(owner.user);
    const counts = this.#instructions;
    counts.merged += rows.length - 1;
    const add = readItems(rows.map((row) => readCustomization(row, owner)));
    const newest = await target.instructions.read(owner);
    if (newest.by !== BY && (await this.#wasHere(owner, newest.version))) {
      counts.left += 1;
      return;
    }
    const changed = changeItems(newest.items, { add, edit: [], remove: [] }, () => ids.next("i"));
    if ("fault" in changed) {
      this.#problems.push(`instructions of ${owner.user} for ${owner.agent}: ${changed.fault}`);
      return;
    }
    if (changed.items.length === newest.items.length) {
      counts.same += 1;
      return;
    }
    counts.written += 1;
    const write = { items: changed.items, at: clock.now(), by: BY, change: "add" } as const;
    if (!dryRun && !(await target.instructions.write(owner, newest.version, write))) throw moved(owner.user);
  }

  /** Whether an earlier migration wrote for this user and agent. */
  async #wasHere(owner: UserAgent, newest: number): Promise<boolean> {
    for (let version = newest; version > 0; version--) {
      if ((await this.#options.target.instructions.version(owner, version))?.by === BY) return true;
    }
    return false;
  }

  async #moveNotes(): Promise<void> {
    const { target, clock, ids, dryRun } = this.#options;
    for await (const row of this.#rows("agent_long_term_memory")) {
      this.#notes.rows += 1;
      const owner = readOwner(row, this.#names);
      if (owner === undefined) {
        this.#problems.push("a row of agent_long_term_memory names no user or no agent");
        continue;
      }
      this.#users.add(owner.user);
      const at = readTime(row) ?? clock.now();
      const known = dryRun ? await this.#knownNotes(owner) : new Set<string>();
      for (const text of new Set(readNotes(row, owner))) {
        const there = dryRun
          ? known.has(text)
          : (await target.memory.save(owner, { id: ids.next("m"), text, at })).known;
        this.#notes[there ? "same" : "written"] += 1;
      }
    }
  }

  /** Adds the users, so that an operator can create login links. Existing users stay unchanged. */
  async #moveUsers(): Promise<Spec010Report["users"]> {
    const { target, clock, dryRun } = this.#options;
    const counts = { rows: this.#users.size, written: 0, same: 0 };
    for (const id of this.#users) {
      if (!USER_ID.test(id)) {
        this.#problems.push(`user '${id}' cannot sign in: an id has at most 60 letters, digits and . _ @ -`);
      } else if ((await target.users.read(id)) !== undefined) {
        counts.same += 1;
      } else {
        counts.written += 1;
        if (!dryRun) await target.users.add({ id, name: id, role: "user", at: clock.now() });
      }
    }
    return counts;
  }

  async #knownNotes(owner: UserAgent): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    for (let offset = 0; ; offset += NOTES_PAGE) {
      const { notes, total } = await this.#options.target.memory.search(owner, { limit: NOTES_PAGE, offset });
      for (const { text } of notes) known.add(text);
      if (offset + NOTES_PAGE >= total) return known;
    }
  }
}

function moved(what: string): Error {
  return new Error(`another process changed '${what}' at the same time; run it again`);
}

/** Values of `llm_config` name a model in the words of the old system; they are in the file with the original rows. */
function notCarried(agent: string, column: string, value: Json | undefined): string {
  const shown = cutGraphemes(JSON.stringify(value) ?? "", 120);
  const next = column === "llm_config" ? `set agents.${agent}.model (and limits) in its place` : "nothing uses it here";
  return `agent '${agent}': ${column} is not carried over (${shown}); ${next}`;
}
