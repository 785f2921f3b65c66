import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../../../edge/host/switch/test/test-pty.ts";
import { openDatabase, type StorePlace } from "../../../../edge/stores/sql/open-database.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../../../edge/stores/test/servers/postgres.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const root = mkdtempSync(join(tmpdir(), "conduct-repair-"));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
let made = 0;

type Answer = {
  readonly ok: boolean;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: string };
};

/** The shipped program on a home of its own. */
function machine(store?: string) {
  const home = join(root, String(++made));
  mkdirSync(home);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, CONDUCT_HOME: home, CONDUCT_STORE: store };
  const place: StorePlace =
    store === undefined ? { kind: "sqlite", file: join(home, "conduct.db") } : { kind: "postgres", url: store };

  async function conduct(...args: readonly string[]): Promise<Answer> {
    const child = spawn(process.execPath, [conductProgram(), ...args, "--json"], {
      env,
      cwd: home,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    await once(child, "close");
    return JSON.parse(out) as Answer;
  }

  /** In a terminal of a person's own. */
  async function person(before: readonly string[], ...args: readonly string[]): Promise<Answer | undefined> {
    const { code, shown } = await runInPty("xterm", [...before, process.execPath, conductProgram(), ...args], env);
    return code === 0 || code === 1 ? (JSON.parse(shown) as Answer) : undefined;
  }

  return {
    home,
    person,
    conduct,
    async enforce(rule: string): Promise<void> {
      const file = join(home, `${rule}.yaml`);
      writeFileSync(file, `rules:\n  - { id: ${rule}, on: deploy }\n`);
      expect(await conduct("rules", "add", "--file", file, "--yes")).toMatchObject({ ok: true });
      expect(await conduct("rules", "enforce", rule)).toMatchObject({ ok: true });
    },
    async tamper(statement: string): Promise<readonly Record<string, unknown>[]> {
      const { db } = await openDatabase(place);
      try {
        return (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows;
      } finally {
        await db.destroy();
      }
    },
    rules: async () =>
      ((await conduct("rules", "list")).result?.rules ?? []) as readonly { id: string; status: string }[],
  };
}

const CHANGED = `update conduct_governance set body = replace(body, 'on: deploy', 'on: nothing') where seq = 3`;
const FORMS = [
  ["an entry was changed", CHANGED, 3],
  ["the last entry is gone", "delete from conduct_governance where seq = 4", 0],
  ["all entries are gone", "delete from conduct_governance", 0],
  ["the table is gone", "drop table conduct_governance", 0],
] as const;

function suite(name: string, forms: readonly (typeof FORMS)[number][], storeOf: () => Promise<string> | undefined) {
  describe.skipIf(findPython() === undefined)(`conduct journal repair, ${name}`, () => {
    it.each(forms)(
      "DMJ-40 when %s, changes are rejected until a person repairs it; then the journal is intact and the evidence is stored",
      async (_, statement, accepted) => {
        const { enforce, tamper, conduct, person, rules, home } = machine(await storeOf());
        await enforce("first");
        await enforce("second");
        await tamper(statement);
        expect(await conduct("journal", "verify")).toMatchObject({ ok: false });
        expect(await conduct("rules", "enforce", "first")).toMatchObject({ ok: false });
        const args = accepted > 0 ? ["--accept", String(accepted)] : [];
        const nobody = await conduct("journal", "repair", "--yes", ...args);
        expect(nobody).toMatchObject({ ok: false, error: { code: "NO_PERSON" } });
        expect(await person([], "journal", "repair", "--json")).toMatchObject({ error: { code: "NOT_CONFIRMED" } });
        const done = await person([], "journal", "repair", "--yes", "--json", ...args);
        expect(done).toMatchObject({ ok: true, result: { kind: "broken" } });
        expect(await conduct("journal", "verify")).toMatchObject({ ok: true });
        expect(await conduct("journal", "repair", "--yes")).toMatchObject({ ok: true, result: { kind: "whole" } });
        if (accepted > 0) {
          expect(await rules()).toMatchObject([
            { id: "first", status: "enforced" },
            { id: "second", status: "enforced" },
          ]);
          expect(await tamper("select seq from conduct_governance_damaged order by seq")).toHaveLength(2);
        }
        expect(readdirSync(home).some((file) => /\.heads\.repair_/.test(file))).toBe(true);
        expect(await conduct("behavior", "add", "KEEP: short answers")).toMatchObject({ ok: true });
      },
      PATIENT,
    );
  });
}

suite("SQLite", FORMS, () => undefined);

describe.skipIf(findPostgres() === undefined)("on PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres(findPostgres() ?? "");
  }, PATIENT);
  afterAll(() => postgres?.stop());
  suite("PostgreSQL", [FORMS[0], FORMS[3]], () => postgres.createDatabase());
});

describe.skipIf(findPython() === undefined)("conduct journal repair that is killed", () => {
  it(
    "DMJ-41 a killed repair leaves the journal either damaged as before or fully repaired",
    async () => {
      const { enforce, tamper, conduct, person, rules } = machine();
      await enforce("first");
      await enforce("second");
      await tamper(CHANGED);
      let repaired = false;
      for (let ms = 150; ms < 1_200 && !repaired; ms += 75) {
        const kill = ["/usr/bin/env", "timeout", "--foreground", "-s", "KILL", String(ms / 1_000)];
        await person(kill, "journal", "repair", "--yes", "--accept", "all", "--json");
        repaired = (await conduct("journal", "verify")).ok;
        // Damaged as before: what verified then still does.
        if (!repaired)
          expect(await conduct("journal", "repair", "--dry-run")).toMatchObject({ result: { good: { seq: 2 } } });
      }
      if (!repaired) await person([], "journal", "repair", "--yes", "--accept", "all", "--json");
      expect(await rules()).toMatchObject([
        { id: "first", status: "enforced" },
        { id: "second", status: "enforced" },
      ]);
    },
    PATIENT,
  );
});
