import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../base/words/hosting/conversation.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { Workspaces } from "./workspaces.ts";

const top = mkdtempSync(join(tmpdir(), "conduct-work-"));
afterAll(() => rmSync(top, { recursive: true, force: true, maxRetries: 3 }));

let root: string;
let home: string;
let outside: string;
let reported: string[];
let store: ReturnType<typeof memoryStores>["conversations"];
let workspaces: Workspaces;
let count = 0;
const vacate = async () => undefined;
beforeEach(() => {
  root = mkdtempSync(join(top, "one-"));
  home = join(root, "home");
  outside = join(root, "outside");
  mkdirSync(join(outside, "ann"), { recursive: true });
  writeFileSync(join(outside, "precious.txt"), "precious");
  writeFileSync(join(outside, "ann", "precious.txt"), "precious");
  reported = [];
  store = memoryStores().conversations;
  workspaces = new Workspaces({ home, store, vacate, report: (line) => reported.push(line) });
});

const conversationOf = (agent: string, user: string): Conversation => ({
  ...{ id: `s${++count}`, agent, user },
  ...{ channel: "web", at: 0, lastAt: 0 },
});

/** Kept, with its folder. */
async function begin(agent = "clerk", user = "ann") {
  const conversation = conversationOf(agent, user);
  await store.create(conversation);
  return { conversation, folder: await workspaces.open(conversation) };
}

const leave = (conversation: Conversation) => workspaces.leave(conversation, () => store.remove(conversation.id));
const trash = () => join(`${home}-work`, ".deleted");

function expectOutside() {
  for (const file of [join(outside, "precious.txt"), join(outside, "ann", "precious.txt")])
    expect(readFileSync(file, "utf8")).toBe("precious");
}

function expectGone(folder: string) {
  expect(lstatSync(folder, { throwIfNoEntry: false })).toBeUndefined();
  expect(readdirSync(trash())).toEqual([]);
  expect(reported).toEqual([]);
}

describe("the folder of a conversation", () => {
  it("WS-1 a conversation's folder is inside the gateway's folder for any names, and no two users share one", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("..", "../..", "/etc", ".", "", "a/b", "a\\b", "\0", `${".".repeat(59)}a`, `${".".repeat(59)}b`),
    );
    await fc.assert(
      fc.asyncProperty(name, name, async (one, other) => {
        const folderOf = (user: string) => workspaces.open(conversationOf("helper", user));
        const [a, b] = [await folderOf(one), await folderOf(other)];
        for (const folder of [a, b])
          expect(folder.split(sep).slice(0, -1).join(sep)).toBe(join(`${home}-work`, "helper"));
        expect(a === b).toBe(one === other);
      }),
      { numRuns: 100 },
    );
    // What is deleted has a place that no agent's name leads to.
    expect(dirname(await workspaces.open(conversationOf(".deleted", "x")))).not.toBe(trash());
  });
});

describe("a conversation that is deleted", () => {
  it("WS-10 deleting a conversation deletes its files and no others, and a second deletion does nothing", async () => {
    const { conversation, folder } = await begin();
    const other = await begin("clerk", "bob");
    for (const at of [folder, other.folder]) {
      mkdirSync(join(at, "deep", "er"), { recursive: true });
      writeFileSync(join(at, "deep", "er", "made.txt"), "made");
    }
    await leave(conversation);
    expectGone(folder);
    await leave(conversation);
    expect(readFileSync(join(other.folder, "deep", "er", "made.txt"), "utf8")).toBe("made");
    expect(await store.read(conversation.id)).toBeUndefined();
    expect(reported).toEqual([]);
  });

  it("WS-11 files that another conversation shares stay until the last one is deleted, also concurrently", async () => {
    const first = await begin();
    const rest = [await begin(), await begin(), await begin()];
    expect(new Set(rest.map(({ folder }) => folder))).toEqual(new Set([first.folder]));
    await leave(first.conversation);
    expect(existsSync(first.folder)).toBe(true);
    await Promise.all(rest.map(({ conversation }) => leave(conversation)));
    expectGone(first.folder);
  });

  it("WS-12 a conversation started during the deletion of another has its folder, whichever finishes first", async () => {
    const { conversation } = await begin();
    const next = conversationOf("clerk", "ann");
    await store.create(next);
    const [, folder] = await Promise.all([leave(conversation), workspaces.open(next)]);
    expect(existsSync(folder)).toBe(true);
  });

  it("WS-13 each demo conversation has its own folder, which is always deleted", async () => {
    const [one, other] = [await begin("demo"), await begin("demo")];
    await leave(one.conversation);
    expectGone(one.folder);
    expect(readdirSync(other.folder).length).toBeGreaterThan(0);
  });

  it("WS-14 a conversation stays stored if file sharing cannot be checked, and can be deleted later", async () => {
    const { conversation, folder } = await begin();
    const away = { list: () => Promise.reject(new Error("away")) };
    const broken = new Workspaces({ home, store: away, vacate, report: () => undefined });
    await expect(broken.leave(conversation, () => store.remove(conversation.id))).rejects.toThrow("away");
    expect([existsSync(folder), await store.read(conversation.id)]).toEqual([true, conversation]);
    await leave(conversation);
    expectGone(folder);
  });
});

describe("what an agent may have put there", () => {
  const hostile: Readonly<Record<string, (folder: string) => void>> = {
    "a link to a folder": (folder) => symlinkSync(outside, join(folder, "link")),
    "a link to a file": (folder) => symlinkSync(join(outside, "precious.txt"), join(folder, "link")),
    "a link far below": (folder) => {
      mkdirSync(join(folder, "a", "b"), { recursive: true });
      symlinkSync(outside, join(folder, "a", "b", "c"));
    },
    "a link to nothing": (folder) => symlinkSync(join(outside, "nothing"), join(folder, "link")),
    "a link upwards": (folder) => symlinkSync("../..", join(folder, "up")),
    "a link to itself": (folder) => symlinkSync("self", join(folder, "self")),
    "another name of a file": (folder) => linkSync(join(outside, "precious.txt"), join(folder, "hard")),
    "a pipe": (folder) => void execFileSync("mkfifo", [join(folder, "pipe")]),
    "folders that may not be written to": (folder) => {
      mkdirSync(join(folder, "a", "b"), { recursive: true });
      writeFileSync(join(folder, "a", "b", "file"), "");
      for (const at of ["a/b", "a", "."]) chmodSync(join(folder, at), 0o000);
    },
    "names that are no text": (folder) => {
      mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe, 0x0a])]));
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfd])]), "");
    },
    "names that look like more": (folder) => {
      for (const name of ["-rf", "...", "*", " ", "a\nb", "~"]) mkdirSync(join(folder, name));
    },
    "folders nested beyond what a path may be": (folder) => {
      const name = "d".repeat(250);
      const script = `cd "$1" && for i in $(seq 40); do mkdir ${name} && cd ${name} || exit 1; done; ln -s "$2" link`;
      execFileSync("bash", ["-c", script, "bash", folder, outside]);
    },
    "a link in the place of the folder": (folder) => {
      rmSync(folder, { recursive: true });
      symlinkSync(outside, folder);
    },
    "a file in the place of the folder": (folder) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
    },
  };

  it.each(Object.entries(hostile))(
    "WS-20 deleting a workspace with %s deletes everything inside and nothing outside",
    async (_, put) => {
      const { conversation, folder } = await begin();
      put(folder);
      await leave(conversation);
      expectGone(folder);
      expectOutside();
    },
  );

  it("WS-21 if the agent's folder is a link, nothing is deleted, the link is reported, and the conversation is removed", async () => {
    const { conversation, folder } = await begin();
    rmSync(dirname(folder), { recursive: true });
    symlinkSync(outside, dirname(folder));
    await leave(conversation);
    expectOutside();
    expect(reported).toEqual([
      expect.stringMatching(/could not delete all files of a deleted conversation in .*ann: .* is a link/),
    ]);
    expect(await store.read(conversation.id)).toBeUndefined();
  });

  it("WS-22 if the trash folder is a link, nothing is moved or deleted there", async () => {
    const { conversation, folder } = await begin();
    symlinkSync(outside, trash());
    await leave(conversation);
    await workspaces.clear();
    expectOutside();
    expect(readdirSync(outside).toSorted()).toEqual(["ann", "precious.txt"]);
    expect(existsSync(folder)).toBe(true);
    expect(reported.join("\n")).toContain("is not a folder, so nothing is deleted");
  });

  it("WS-23 the operator may link the root folder elsewhere", async () => {
    const { conversation, folder } = await begin();
    renameSync(`${home}-work`, join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), `${home}-work`);
    await leave(conversation);
    expectGone(folder);
    expect(readdirSync(join(root, "elsewhere", "clerk"))).toEqual([]);
  });
});

describe("a process that ended in the middle of it", () => {
  it("WS-30 files that a killed process moved to the trash are deleted by the next process", async () => {
    const { folder } = await begin();
    symlinkSync(outside, join(folder, "link"));
    mkdirSync(trash());
    renameSync(folder, join(trash(), "left"));
    await new Workspaces({ home, store, vacate, report: (line) => reported.push(line) }).clear();
    expectGone(folder);
    expectOutside();
  });

  it("WS-31 emptying the trash creates no folder if none exists", async () => {
    await workspaces.clear();
    expect(existsSync(`${home}-work`)).toBe(false);
    expect(reported).toEqual([]);
  });
});
