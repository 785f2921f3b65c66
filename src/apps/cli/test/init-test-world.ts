import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { GovernanceDraft } from "../../../base/ports/stores/governance.ts";
import { parseShellLine } from "../../../behavior/commands/shell/shell-line.ts";
import { conductProgram } from "../../../edge/host/node/package-files.ts";
import type { InitWorld } from "../commands/init/init-world.ts";
import { COMMANDS } from "../declared/command-tree.ts";
import { parseCommandLine } from "../line/command-line.ts";
import type { Outcome } from "../line/outcome.ts";
import type { Terminal } from "../line/terminal.ts";
import { testTerminal } from "./test-terminal.ts";

export const NOW = Date.UTC(2026, 10, 15, 11);
/** The daemon's token in settings; no output may show it. */
const TOKEN = "7f".repeat(32);

export type TestWorld = InitWorld & { readonly zone: string };
export type Given = Partial<TestWorld> & {
  readonly answers?: readonly boolean[];
  readonly terminal?: Partial<Terminal>;
};

/** A temporary home, a person at the terminal, and a journal in memory. */
export function useInitWorld() {
  const at = { root: "" };
  const journaled: GovernanceDraft[] = [];
  const asked: string[] = [];
  beforeEach(() => {
    at.root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-cli-init-")));
    mkdirSync(join(at.root, "work"));
    vi.stubEnv("HOME", at.root);
    journaled.length = 0;
    asked.length = 0;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(at.root, { recursive: true, force: true });
  });

  const world = ({ answers = [], terminal: _, ...change }: Given = {}): TestWorld => {
    const left = [...answers];
    const { daemon = async () => ({ port: 4871, token: TOKEN }) } = change;
    return {
      env: { HOME: at.root, PATH: join(at.root, "bin") },
      home: join(at.root, ".conduct"),
      now: () => NOW,
      zone: "UTC",
      by: "cli:ann",
      account: "ann",
      inside: () => undefined,
      person: { look: () => ({ kind: "person", proof: "at pts/3 under sshd" }) },
      async ask(question) {
        asked.push(question);
        return left.shift();
      },
      daemon,
      planDaemon: daemon,
      startDaemon: async () => undefined,
      find: () => undefined,
      codexTrust: async () => ({ bound: false, hooks: [], faults: ["not trusted"] }),
      trustCodex: async () => ({ bound: true, hooks: [], faults: [] }),
      async journal(draft) {
        journaled.push(draft);
        return undefined;
      },
      ...change,
    };
  };

  return {
    at,
    journaled,
    asked,
    world,
    read: (path: string) => (existsSync(join(at.root, path)) ? readFileSync(join(at.root, path), "utf8") : undefined),
    write(path: string, text: string) {
      mkdirSync(dirname(join(at.root, path)), { recursive: true });
      writeFileSync(join(at.root, path), text);
    },
    /** A program on the PATH that prints its version. */
    program(name: string, version: string) {
      mkdirSync(join(at.root, "bin"), { recursive: true });
      writeFileSync(join(at.root, "bin", name), `#!/bin/sh\necho '${version}'\n`);
      chmodSync(join(at.root, "bin", name), 0o755);
    },
    /** Runs a command, validates the commands it suggests, and returns everything the person saw. */
    async run(command: (terminal: Terminal) => Promise<Outcome>, given: Partial<Terminal> = {}) {
      const terminal = testTerminal({ cwd: join(at.root, "work"), columns: 400, ...given });
      const outcome = await command(terminal);
      for (const one of outcome.next) {
        const [, ...words] = parseShellLine(one.command).commands[0] ?? [];
        expect((await parseCommandLine(words, COMMANDS)).kind, one.command).toBe("run");
      }
      const said = `${terminal.said()}${asked.map((question) => `${question}\n`).join("")}${outcome.text ?? ""}`
        .replaceAll(at.root, "/home/ann")
        .replaceAll(process.execPath, "/node")
        .replaceAll(conductProgram(), "/conduct.mjs");
      expect(JSON.stringify(outcome) + said).not.toContain(TOKEN);
      return { outcome, said };
    },
  };
}
