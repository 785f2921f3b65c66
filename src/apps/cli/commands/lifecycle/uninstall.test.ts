import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { type Given, useInitWorld } from "../../test/init-test-world.ts";
import { init } from "../init/init.ts";
import { uninstall as runUninstall } from "./uninstall.ts";
import { upgrade } from "./upgrade.ts";

const { at, asked, journaled, world, read, write, run } = useInitWorld();
const CLAUDE = '{ "model": "sonnet" }\n';
const look = () => ({ kind: "person", proof: "at pts/3 under sshd" }) as const;
const inside = () => ({ agent: "Codex", sign: "CODEX_SANDBOX is set" });

type Typing = Given & { readonly typed?: string };
const uninstall = (args: object, { typed, ...given }: Typing = {}) => {
  const person = { look: given.person?.look ?? look, code: () => "plum", ask: async () => typed };
  return run((terminal) => runUninstall(args, terminal, { ...world(given), person }), given.terminal);
};

async function setUp() {
  write(".claude/settings.json", CLAUDE);
  mkdirSync(join(at.root, ".codex"), { recursive: true });
  await run((terminal) => init({ yes: true }, terminal, world()));
  await run((terminal) => init({ runtime: "claude-code", project: true, yes: true }, terminal, world()));
  await writeRuntime(join(at.root, ".conduct"), "acp", { enforcement: "enforce", operator: false, since: "" });
}

describe("conduct uninstall", () => {
  it("UNI-1 uninstall undoes every runtime and project, removes the launcher, and keeps the data", async () => {
    await setUp();
    const { outcome, said } = await uninstall({}, { answers: [true] });
    expect(outcome).toMatchObject({
      ok: true,
      result: { runtimes: ["claude-code", "claude-code", "codex"], data: [] },
    });
    expect(asked).toHaveLength(1);
    expect(read(".claude/settings.json")).toBe(CLAUDE);
    for (const gone of [".claude.json", ".codex/hooks.json", "work/.claude/settings.local.json", ".conduct/bin"])
      expect(existsSync(join(at.root, gone)), gone).toBe(false);
    expect(read(".conduct/conduct.yaml")).toContain("packs/coding");
    expect(journaled.filter(({ kind }) => kind === "runtime.removed")).toHaveLength(3);
    for (const text of ["restart claude; restart codex", "kept      ~/.conduct", "package   ", "your acp client"])
      expect(said.replaceAll("/home/ann", "~")).toContain(text);
  });

  it("UNI-2 without a confirmation nothing is removed", async () => {
    await setUp();
    expect((await uninstall({}, { answers: [false] })).outcome).toMatchObject({ ok: false, code: "NOT_CONFIRMED" });
    expect(existsSync(join(at.root, ".conduct/bin/conduct"))).toBe(true);
    expect(read(".claude/settings.json")).toContain("hooks");
  });

  it("UNI-3 --data names what it deletes, and a person has to type a code even with --yes", async () => {
    await setUp();
    mkdirSync(join(at.root, ".conduct-work/c1"), { recursive: true });
    const refused = await uninstall({ data: true, yes: true }, { typed: "peach" });
    expect(refused.outcome).toMatchObject({ ok: false, code: "NOT_CONFIRMED" });
    expect(read(".conduct/runtimes.json")).toContain("codex");
    const { outcome, said } = await uninstall({ data: true, yes: true }, { typed: "plum" });
    expect(outcome).toMatchObject({
      ok: true,
      result: { data: [join(at.root, ".conduct"), join(at.root, ".conduct-work")] },
    });
    expect(said).toContain("all sessions, the journal, the contract, your rules");
    expect(existsSync(join(at.root, ".conduct"))).toBe(false);
    expect(existsSync(join(at.root, ".conduct-work"))).toBe(false);
    expect(read(".claude/settings.json")).toBe(CLAUDE);
  });

  it("UNI-4 --data refuses a folder that is not Conduct's own", async () => {
    expect((await uninstall({ data: true, yes: true }, { home: at.root, typed: "plum" })).outcome).toMatchObject({
      ok: false,
      code: "NOT_CONDUCT_HOME",
    });
    expect(existsSync(at.root)).toBe(true);
  });

  it("UNI-5 an agent can neither uninstall nor upgrade, and without a terminal nobody can uninstall", async () => {
    await setUp();
    expect((await uninstall({ yes: true }, { inside })).outcome).toMatchObject({ code: "INSIDE_AGENT" });
    const nobody = { look: () => ({ kind: "nobody", why: "it does not run in a terminal" }) as const };
    expect((await uninstall({ yes: true }, { person: nobody })).outcome).toMatchObject({ code: "NO_PERSON" });
    expect((await run((terminal) => upgrade({ yes: true }, terminal, world({ inside })))).outcome).toMatchObject({
      code: "INSIDE_AGENT",
    });
    expect(existsSync(join(at.root, ".conduct/bin/conduct"))).toBe(true);
  });

  it("UNI-8 while every runtime is in shadow mode, a script can undo with --yes: nothing was enforced", async () => {
    const nobody = { look: () => ({ kind: "nobody", why: "it does not run in a terminal" }) as const };
    const undo = (person: Given["person"]) =>
      run((terminal) => init({ runtime: "codex", undo: true, yes: true }, terminal, world({ person })));
    await setUp();
    expect((await undo(nobody)).outcome).toMatchObject({ ok: true });
    expect((await uninstall({ yes: true }, { person: nobody })).outcome).toMatchObject({ code: "NO_PERSON" });
    await writeRuntime(join(at.root, ".conduct"), "acp", undefined);
    expect((await uninstall({ yes: true }, { person: nobody })).outcome).toMatchObject({ ok: true });
    expect(read(".claude/settings.json")).toBe(CLAUDE);
  });

  it("UNI-6 settings that cannot be changed stop the uninstall before anything is removed", async () => {
    await setUp();
    write(".claude/settings.json", "{ nonsense");
    expect((await uninstall({ yes: true })).outcome).toMatchObject({ ok: false, code: "SETTINGS_BROKEN" });
    expect(existsSync(join(at.root, ".codex/hooks.json"))).toBe(true);
  });
});

describe("conduct upgrade", () => {
  it("UPG-1 a checkout is not upgraded by npm; --refresh renews its launcher", async () => {
    await setUp();
    expect((await run((terminal) => upgrade({}, terminal, world()))).outcome).toMatchObject({ code: "CHECKOUT" });
    write(".conduct/bin/conduct", "#!/bin/sh\n");
    const { outcome, said } = await run((terminal) => upgrade({ refresh: true }, terminal, world()));
    expect(outcome).toMatchObject({ ok: true, result: { launcher: true, outdated: ["claude-code"] } });
    expect(said).toContain("bin/conduct starts it");
    expect(read(".conduct/bin/conduct")).toContain("conduct.mjs");
  });

  it("UPG-2 a file that is not there is refused before anything is done", async () => {
    expect((await run((terminal) => upgrade({ from: "no.tgz" }, terminal, world()))).outcome).toMatchObject({
      ok: false,
      code: "BAD_ARGUMENT",
    });
  });
});
