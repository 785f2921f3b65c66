import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, realpath, rename, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { Conversation } from "../../../base/words/hosting/conversation.ts";
import { DEMO_AGENT, DEMO_FILES } from "../demo/demo-tools.ts";

/**
 * A folder for deleted files. Files are moved here first, so a killed process leaves them for the next one. Links are
 * never followed.
 */
class Trash {
  readonly #folder: string;

  /** Must be on the same disk as the files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a file, folder or link here. Returns false if it does not exist. */
  async take(path: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#check();
    return this.#move(path);
  }

  /** Deletes everything here. Rejects with what could not be deleted. Safe to run concurrently. */
  async empty(): Promise<void> {
    if ((await orNone(lstat(this.#folder))) === undefined) return;
    await this.#check();
    const stuck = new Map<string, unknown>();
    for (;;) {
      const names = (await readdir(this.#folder)).filter((name) => !stuck.has(name));
      if (names.length === 0) break;
      for (const name of names)
        await this.#dissolve(join(this.#folder, name)).catch((error: unknown) => stuck.set(name, error));
    }
    for (const [, error] of stuck) throw error;
  }

  /** Deletes a file or link. Subfolders are moved up first, so paths stay short however deep they are nested. */
  async #dissolve(path: string): Promise<void> {
    const found = await orNone(lstat(path));
    if (found?.isDirectory() !== true) return orNone(unlink(path));
    await orNone(chmod(path, 0o700));
    // Names may not be valid text, so they are read as bytes.
    const entries = await orNone(readdir(path, { withFileTypes: true, encoding: "buffer" }));
    for (const entry of entries ?? []) {
      const inside = Buffer.concat([Buffer.from(`${path}/`), entry.name]);
      if (entry.isDirectory()) await this.#move(inside);
      else await orNone(unlink(inside));
    }
    await orNone(rmdir(path));
  }

  async #move(path: string | Buffer): Promise<boolean> {
    const found = await orNone(lstat(path));
    // A read-only folder cannot be moved.
    if (found?.isDirectory() === true) await orNone(chmod(path, 0o700));
    return (
      found !== undefined && (await orNone(rename(path, join(this.#folder, randomUUID())).then(() => true))) === true
    );
  }

  /** Following a link here would delete files elsewhere. */
  async #check(): Promise<void> {
    if (!(await lstat(this.#folder)).isDirectory())
      throw new Error(`${this.#folder} is not a folder, so nothing is deleted. Remove it`);
  }
}

/** Resolves to `undefined` if the file does not exist. */
async function orNone<T>(doing: Promise<T>): Promise<T | undefined> {
  return doing.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** The id of a folder of workspaces. Gateways that share the folder read the same id. */
export async function workspacesId(home: string): Promise<string> {
  const root = `${home}-work`;
  await mkdir(root, { recursive: true, mode: 0o700 });
  const file = join(root, ".id");
  await writeFile(file, `${randomUUID()}\n`, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return (await readFile(file, "utf8")).trim();
}

type WorkspacesOptions = {
  readonly home: string;
  readonly store: Pick<ConversationsStore, "list">;
  /** Ends what still works in a folder that is about to be deleted. */
  readonly vacate: (conversation: Conversation) => Promise<void>;
  /** Receives files that could not be deleted. */
  readonly report: (line: string) => void;
};

/**
 * Workspaces of hosted tools: one folder per agent and user, kept until their last conversation is deleted. It is next
 * to CONDUCT_HOME, because agents may not touch anything in it.
 */
export class Workspaces {
  readonly #root: string;
  readonly #trash: Trash;
  readonly #options: WorkspacesOptions;
  /** The last operation on each folder. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#root = `${options.home}-work`;
    // Agent folders never contain a dot.
    this.#trash = new Trash(join(this.#root, ".deleted"));
  }

  /** Creates the folder if it is missing. */
  open(conversation: Conversation): Promise<string> {
    const folder = this.#folderOf(conversation);
    return this.#inTurn(folder, async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (conversation.agent === DEMO_AGENT) await writeDemo(folder);
      return folder;
    });
  }

  /**
   * Deletes the folder unless another conversation uses it, then calls `removed`. Files that cannot be deleted are
   * reported; the conversation is removed anyway.
   */
  async leave(conversation: Conversation, removed: () => Promise<void>): Promise<void> {
    const folder = this.#folderOf(conversation);
    // Serialised, so that of two concurrent deletions the second one sees that it is the last.
    await this.#inTurn(folder, async () => {
      if (!(await this.#isShared(conversation))) {
        await this.#options.vacate(conversation);
        await this.#take(folder).catch((error) => this.#tell(folder, error));
      }
      await removed();
    });
    await this.clear();
  }

  /** Deletes the leftovers of a killed process. Never rejects. */
  async clear(): Promise<void> {
    await this.#trash.empty().catch((error) => this.#tell(this.#root, error));
  }

  async #take(folder: string): Promise<void> {
    const above = dirname(folder);
    const found = await lstat(above).catch(() => undefined);
    if (found === undefined) return;
    // The operator may link the root elsewhere. A link below it was made by an agent.
    const isOurs = found.isDirectory() && (await realpath(above)) === join(await realpath(this.#root), basename(above));
    if (!isOurs) throw new Error(`${above} is a link`);
    await this.#trash.take(folder);
  }

  async #isShared({ id, agent, user }: Conversation): Promise<boolean> {
    if (agent === DEMO_AGENT) return false;
    return (await this.#options.store.list({ agent, user, limit: 2 })).some((other) => other.id !== id);
  }

  #folderOf({ id, agent, user }: Conversation): string {
    // Each demo conversation starts with a fresh folder.
    return join(this.#root, safeName(agent), safeName(agent === DEMO_AGENT ? id : user));
  }

  #tell(folder: string, error: unknown): void {
    this.#options.report(`could not delete all files of a deleted conversation in ${folder}: ${errorText(error)}`);
  }

  async #inTurn<T>(folder: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(folder) ?? Promise.resolve()).then(run);
    const settled = turn.catch(() => undefined);
    this.#turns.set(folder, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(folder) === settled) this.#turns.delete(folder);
    }
  }
}

async function writeDemo(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(DEMO_FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Keeps the agent's changes.
    await writeFile(join(folder, path), text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

const MOST = 120;

/** Escapes a name so that it is one valid folder name and no two names collide. */
function safeName(name: string): string {
  const whole = name.replaceAll(/[^A-Za-z0-9_-]/g, (char) => `%${char.codePointAt(0)?.toString(16)}`);
  return whole.length <= MOST ? whole || "%" : `${whole.slice(0, MOST - 33)}%${sha256(name).slice(0, 32)}`;
}
