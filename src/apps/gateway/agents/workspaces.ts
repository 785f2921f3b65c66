import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, realpath, rename, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { Conversation } from "../../../base/words/hosting/conversation.ts";
import { DEMO_AGENT, DEMO_FILES } from "../demo/demo-tools.ts";

/**
 * A folder for what is to be deleted. Things are moved there first, so that they are out of the way at once, and what a process that
 * was killed left is found by the next one. No link is ever followed: whoever could write there may have put some.
 */
class Trash {
  readonly #folder: string;

  /** It lies on the same disk as what is moved there. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whatever has that name, also a link; its content goes with `empty`. False where there is nothing. */
  async take(path: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#check();
    return this.#move(path);
  }

  /** Deletes all that is there, and rejects with what could not be. Several may do so at once. */
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

  /**
   * Deletes a file or a link; of a folder the files, and moves the folders in it up, to be dissolved in their turn. So no path gets
   * longer than that, however deep somebody has nested them.
   */
  async #dissolve(path: string): Promise<void> {
    const found = await orNone(lstat(path));
    if (found?.isDirectory() !== true) return orNone(unlink(path));
    await orNone(chmod(path, 0o700));
    // As bytes: not every name is a text.
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
    // A folder that may not be written to cannot be moved either.
    if (found?.isDirectory() === true) await orNone(chmod(path, 0o700));
    return (
      found !== undefined && (await orNone(rename(path, join(this.#folder, randomUUID())).then(() => true))) === true
    );
  }

  /** A link here would have what lies elsewhere deleted. */
  async #check(): Promise<void> {
    if (!(await lstat(this.#folder)).isDirectory())
      throw new Error(`${this.#folder} is not a folder, so nothing is deleted: take it away`);
  }
}

/** `undefined` for what is not there (any more). */
async function orNone<T>(doing: Promise<T>): Promise<T | undefined> {
  return doing.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

type WorkspacesOptions = {
  readonly home: string;
  readonly store: Pick<ConversationsStore, "list">;
  /** Hears of files that could not be deleted. */
  readonly report: (line: string) => void;
};

/**
 * The folders of conversations' tools: one for each agent and user, so that what was made stays there, until their last
 * conversation is deleted. Beside Conduct's own folder and not in it, because no agent may touch what is in there.
 */
export class Workspaces {
  readonly #root: string;
  readonly #trash: Trash;
  readonly #options: WorkspacesOptions;
  /** Who came last to each folder. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#root = `${options.home}-work`;
    // No agent's folder has a dot in its name.
    this.#trash = new Trash(join(this.#root, ".deleted"));
  }

  /** The folder of a conversation; made where it is missing. */
  open(conversation: Conversation): Promise<string> {
    const folder = this.#folderOf(conversation);
    return this.#inTurn(folder, async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (conversation.agent === DEMO_AGENT) await writeDemo(folder);
      return folder;
    });
  }

  /**
   * A conversation is deleted, whose turns are over: its folder goes unless another conversation has it too, and then `removed` takes the
   * conversation out of the store. What must not or cannot be deleted stays, and the operator is told; the conversation goes all the same.
   */
  async leave(conversation: Conversation, removed: () => Promise<void>): Promise<void> {
    const folder = this.#folderOf(conversation);
    // In turn until it is out of the store: of two that are deleted at once the second has to see that it is the last.
    await this.#inTurn(folder, async () => {
      if (!(await this.#isShared(conversation))) await this.#take(folder).catch((error) => this.#tell(folder, error));
      await removed();
    });
    await this.clear();
  }

  /** Deletes what was left by a process that ended in the middle of it. Never rejects. */
  async clear(): Promise<void> {
    await this.#trash.empty().catch((error) => this.#tell(this.#root, error));
  }

  async #take(folder: string): Promise<void> {
    const above = dirname(folder);
    const found = await lstat(above).catch(() => undefined);
    if (found === undefined) return;
    // The operator may have put the whole elsewhere by a link. One below it is an agent's doing, and leads anywhere.
    const isOurs = found.isDirectory() && (await realpath(above)) === join(await realpath(this.#root), basename(above));
    if (!isOurs) throw new Error(`${above} is a link`);
    await this.#trash.take(folder);
  }

  async #isShared({ id, agent, user }: Conversation): Promise<boolean> {
    if (agent === DEMO_AGENT) return false;
    return (await this.#options.store.list({ agent, user, limit: 2 })).some((other) => other.id !== id);
  }

  #folderOf({ id, agent, user }: Conversation): string {
    // Each demo starts afresh, so that what it shows can be shown again.
    return join(this.#root, safeName(agent), safeName(agent === DEMO_AGENT ? id : user));
  }

  #tell(folder: string, error: unknown): void {
    this.#options.report(`files of a deleted conversation are left in ${folder}: ${errorText(error)}`);
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
    // What the agent has changed stays changed.
    await writeFile(join(folder, path), text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

const MOST = 120;

/** A name that is one folder on every system; others get their code points, so that two never share one. */
function safeName(name: string): string {
  const whole = name.replaceAll(/[^A-Za-z0-9_-]/g, (char) => `%${char.codePointAt(0)?.toString(16)}`);
  return whole.length <= MOST ? whole || "%" : `${whole.slice(0, MOST - 33)}%${sha256(name).slice(0, 32)}`;
}
