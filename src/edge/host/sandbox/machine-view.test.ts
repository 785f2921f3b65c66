import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { viewMachine } from "./machine-view.ts";

const top = mkdtempSync(join(tmpdir(), "conduct-view-"));
const folder = (...names: string[]) => {
  const path = join(top, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};
const home = folder("person", ".conduct");
const account = folder("person");
afterAll(() => rmSync(top, { recursive: true, force: true }));

const view = (path: readonly string[], programs?: readonly string[]) =>
  viewMachine({ home, env: { PATH: path.join(":"), HOME: account }, programs });
const mounts = ({ shown }: ReturnType<typeof view>) => shown.flatMap((one) => (one.kind === "mount" ? [one.at] : []));

describe("what a sandbox shows of the machine", () => {
  it("SBX-30 the sandbox shows folders on PATH unless they are in a home or in Conduct's folders", () => {
    const [tools, own] = [folder("opt", "tools", "bin"), folder("person", ".local", "bin")];
    const link = join(top, "link");
    symlinkSync(own, link);
    const secret = [
      own,
      link,
      folder("person", ".conduct", "bin"),
      folder("person", ".conduct-work"),
      account,
      "/",
      top,
      "relative",
    ];
    const seen = view(["/usr/bin", tools, ...secret, folder("x", "node_modules", ".bin"), join(top, "missing")]);
    expect(seen.path).toBe(`/run/conduct/bin:/usr/bin:${tools}`);
    expect(mounts(seen)).toContain(tools);
    for (const one of secret) expect(mounts(seen)).not.toContain(one);
  });

  it("SBX-31 an operator can show a folder of programs in the sandbox, and its programs on PATH work", () => {
    const bin = folder("person", ".tools", "bin");
    const seen = view([bin, "/bin"], [join(account, ".tools")]);
    expect(seen.path).toBe(`/run/conduct/bin:${bin}:/bin`);
    expect(mounts(seen)).toContain(join(account, ".tools"));
  });

  it.each([
    ["/", "would expose /"],
    [account, "would expose"],
    [home, "would expose"],
    [top, "would expose"],
    [homedir(), "would expose"],
    ["bin", "is not a folder"],
    ["/no/such/folder", "is not a folder"],
  ])("SBX-32 gateway.programs rejects %s", (one, message) => {
    expect(() => view([], [one])).toThrow(message);
  });

  it("SBX-33 the sandbox shows Node as a file, with its npm and without its folder", () => {
    const node = join(folder("person", ".nvm", "bin"), "node");
    writeFileSync(node, "");
    chmodSync(node, 0o755);
    const npm = folder("person", ".nvm", "lib", "node_modules", "npm");
    writeFileSync(join(folder("person", ".nvm", "lib", "node_modules", "npm", "bin"), "npm-cli.js"), "");
    const { shown } = viewMachine({ home, env: { HOME: account }, node });
    expect(shown).toContainEqual({ kind: "mount", from: node, at: "/run/conduct/bin/node" });
    expect(shown).toContainEqual({ kind: "mount", from: npm, at: "/run/conduct/lib/npm" });
    expect(shown.some((one) => one.kind === "mount" && one.at.startsWith(join(account, ".nvm")))).toBe(false);
  });

  it("SBX-34 Conduct's folders are hidden inside shown folders, and the workspace is mounted after that", () => {
    const tools = folder("opt2");
    const inside = folder("opt2", "conduct");
    const seen = viewMachine({ home: inside, env: { HOME: account }, programs: [] });
    expect(seen.hidden).not.toContain(inside);
    expect(() => viewMachine({ home: inside, env: { HOME: account }, programs: [tools] })).toThrow("would expose");
    const args = bubblewrapArguments({ ...seen, hidden: [inside] }, { workspace: `${inside}-work/a/b` }, "bridge").join(
      " ",
    );
    expect(args.indexOf(`--tmpfs ${inside}`)).toBeGreaterThan(0);
    expect(args.indexOf(`--bind ${inside}-work/a/b`)).toBeGreaterThan(args.indexOf(`--tmpfs ${inside}`));
    expect(args).toContain("--proc /proc --remount-ro /proc");
  });
});
