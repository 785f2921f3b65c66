import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lineEffects } from "../../../behavior/commands/line-effects.ts";
import { repositoryFacts } from "./repository-facts.ts";
import { diskFiles } from "./repository-files.ts";

const SECRET = `const API_KEY = "${["q8Zr4TnW2p", "Lx9VbK7mYd"].join("")}";\n`;
let top: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "conduct-repo-")));
  git("init", "-q", "-b", "trunk");
  write({ "src/a.js": "one\n", ".gitignore": "*.local\n/build/\nlogs/*\n!logs/keep.js\n" });
  git("add", ".");
  git("commit", "-qm", "first");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function git(...args: readonly string[]): void {
  const own = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...own, ...args], {
    cwd: top,
    stdio: "ignore",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
  });
}
function write(files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
}
async function secretOf(command: string, root = top) {
  const effects = lineEffects(command);
  return (await repositoryFacts(diskFiles, root, { args: { command }, effects, paths: [] }, ["secret"])).secret;
}

describe("repositoryFacts", () => {
  it.each([
    ["git add .", { "src/new.js": SECRET }, "src/new.js:1 (secret value)"],
    ["git add -A", { "src/a.js": `one\n${SECRET}` }, "src/a.js:2 (secret value)"],
    ["git add src", { "other/new.js": SECRET }, undefined],
    ["git add src/*.js", { "src/new.js": SECRET }, "src/new.js:1 (secret value)"],
    ["git commit -am done", { "src/a.js": SECRET }, "src/a.js:1 (secret value)"],
    ["git commit -am done", { "src/new.js": SECRET }, undefined],
    ["git add -u", { "src/new.js": SECRET }, undefined],
    ["git commit -m done", { "src/new.js": SECRET }, undefined],
    ["git add . && git commit -m done && git push", { "src/new.js": SECRET }, "src/new.js:1 (secret value)"],
    ["git add .", { "settings.local": SECRET, "build/out.js": SECRET, "logs/today.js": SECRET }, undefined],
    ["git add .", { "logs/keep.js": SECRET }, "logs/keep.js:1 (secret value)"],
    ["git add -f settings.local", { "settings.local": SECRET }, "settings.local:1 (secret value)"],
    ["git status", { "src/new.js": SECRET }, undefined],
  ])("SCT-10 the content that %j would commit is searched for secrets", async (command, files, found) => {
    write(files);
    expect(await secretOf(command)).toBe(found);
  });

  it("SCT-11 a staged secret is found at the commit, even if the file has changed since", async () => {
    write({ "src/b.js": SECRET });
    git("add", "src/b.js");
    write({ "src/b.js": "nothing\n" });
    expect(await secretOf("git commit -m done")).toBe("src/b.js:1 (secret value)");
    expect(await secretOf("git push")).toBe("src/b.js:1 (secret value)");
  });

  it.each(["2", "3", "4"])(
    "SCT-12 an unchanged tracked file is not read again, with index version %s",
    async (version) => {
      for (const name of ["x", "xy", "xyz", "folder/long-name", "folder/long-name-2"])
        write({ [`deep/${name}.js`]: SECRET });
      git("add", ".");
      git("update-index", "--index-version", version);
      git("commit", "-qm", "secret");
      git("repack", "-adq");
      write({ "src/a.js": "two\n" });
      expect(await secretOf("git add .")).toBeUndefined();
      expect(await secretOf("git commit -am x")).toBeUndefined();
    },
  );

  it("SCT-13 the branch is read in a repository, in a subfolder and in a linked worktree; detached there is none", async () => {
    const branchIn = async (root: string) =>
      (await repositoryFacts(diskFiles, root, { args: {}, effects: [], paths: [] }, ["branch"])).branch;
    git("worktree", "add", "-q", "-b", "release/2", join(top, "tree"));
    expect(await branchIn(top)).toBe("trunk");
    expect(await branchIn(join(top, "src"))).toBe("trunk");
    expect(await branchIn(join(top, "tree"))).toBe("release/2");
    write({ "tree/src/n.js": SECRET });
    expect(await secretOf("git add .", join(top, "tree"))).toBe("src/n.js:1 (secret value)");
    expect(await secretOf("git add .")).toBeUndefined();
    git("checkout", "-q", "--detach");
    expect(await branchIn(top)).toBeUndefined();
  });

  it("SCT-14 the search runs no program of the repository, follows no link, and skips binary files", async () => {
    git("config", "core.fsmonitor", `touch ${join(top, "ran")}`);
    writeFileSync(join(top, "image.bin"), Buffer.from(`\0\0${SECRET}`));
    symlinkSync("/etc", join(top, "etc"));
    expect(await secretOf("git add .")).toBeUndefined();
    expect(await diskFiles.stat(join(top, "ran"))).toBeUndefined();
  });

  it.each([
    ["npm install left-pad@1 lodash", ["lodash"]],
    ["npm install @acme/tool@^2 ./local", ["@acme/tool"]],
    ["npm ci", []],
    ["pip install Flask_Login requests[socks]==2", ["requests"]],
    ["pip install -r requirements.txt", []],
  ])("SCT-15 packages of %j that no manifest names: %j", async (command, names) => {
    write({ "package.json": '{"dependencies": {"left-pad": "1"}}', "requirements.txt": "flask-login==1\n" });
    const facts = await repositoryFacts(diskFiles, top, { args: {}, effects: lineEffects(command), paths: [] }, [
      "undeclared",
    ]);
    expect(facts.undeclared).toEqual(names);
  });
});
