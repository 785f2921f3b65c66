import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import { trustStore } from "../../../../edge/host/trust/trust.ts";
import { projectConfigPath } from "../../../../edge/host/workspace/project-config.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { installSchemas, type SchemaWorld } from "./install-schema.ts";

const BIN = join(import.meta.dirname, "../../conduct.mjs");
const RULE = `{ id: no-curl, on: shell, when: 'args.command.startsWith("curl")' }`;

let [base, home, shop] = ["", "", ""];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "conduct-config-")));
  [home, shop] = [join(base, "home"), join(base, "shop/src")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(shop, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Runs the program as a person does, without the marks of an agent around it. */
function conduct(...argv: readonly string[]) {
  const env = { PATH: "/usr/bin:/bin", HOME: base, CONDUCT_HOME: home };
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...argv], { cwd: shop, env, encoding: "utf8" });
  return { stdout, stderr, status, said: `${stdout}${stderr}` };
}

describe("the configuration in every command", () => {
  it.each([
    { line: ["config", "check"], fails: false },
    { line: ["prompt", "preview"], fails: false },
    { line: ["prompt", "lint"], fails: false },
    { line: ["replay", "--rules", "packs/coding"], fails: false },
    { line: ["rules", "add", "d_none"], fails: true },
    { line: ["review", "run", "--dry-run"], fails: false },
  ])("CFG-4 $line names the file it used, for people and for programs", ({ line, fails }) => {
    const file = write(join(home, "conduct.yaml"), "agents: { ada: { soul: Be kind. } }\n");
    const ran = conduct(...line);
    expect(ran.said).toContain("\n  config   ~/home/conduct.yaml\n");
    const { ok, config } = JSON.parse(conduct(...line, "--json").stdout);
    expect([ok, config]).toEqual([!fails, { file, from: "home", faults: [] }]);
  });

  it("CFG-5 an untrusted file in a parent folder is skipped and named with what to do; once trusted it is used", async () => {
    write(join(home, "conduct.yaml"), "agents: { ada: {} }\n");
    write(join(base, "shop/conduct.yaml"), `agents: { defaults: { rules: [${RULE}] } }\n`);
    const before = conduct("config", "check").said.replaceAll(/\s+/g, " ");
    expect(before).toContain("skipped ~/shop/conduct.yaml:1: the current content of conduct.yaml is not trusted");
    expect(before).toContain(`trust ${join(base, "shop")}`);
    expect(before).not.toContain("no-curl");
    // Without a terminal the program trusts nothing.
    expect(conduct("trust", join(base, "shop"), "--yes").said).toContain("NO_PERSON");
    const text = readFileSync(join(base, "shop/conduct.yaml"), "utf8");
    await trustStore(home).trust([{ path: join(base, "shop/conduct.yaml"), sha256: sha256(text) }]);
    const after = conduct("config", "check").said;
    expect(after).toContain("\n  config   ~/home/conduct.yaml + ~/shop/conduct.yaml\n");
    expect(after).toContain("no-curl");
  });

  it("CFG-13 policy explain takes a plain command and uses the rules in force here; alone, it lists them", () => {
    write(join(home, "conduct.yaml"), `agents: { ada: { rules: [${RULE}] } }\n`);
    const { said, status } = conduct("policy", "explain", "curl http://127.0.0.1");
    expect([said, status]).toEqual([expect.stringMatching(/config {3}~\/home\/conduct.yaml[\s\S]*deny no-curl/), 0]);
    expect(conduct("policy", "explain", "ls").said).toContain("allow");
    expect(conduct("policy", "explain").said).toMatch(/1 rule of agent ada\s+no-curl/);
    const programs = "programs: { shipit: { does: { deploys.run: {} } } }, rules: [{ id: no-deploy, on: deploys.run }]";
    write(join(home, "conduct.yaml"), `agents: { ada: { ${programs} } }\n`);
    expect(conduct("policy", "explain", "shipit now").said).toContain("deny no-deploy");
    write(join(home, "conduct.yaml"), "agents: { ada: {} }\n");
    expect(conduct("policy", "explain", "ls").said).toContain("NO_RULES");
  });

  it.each([
    ["programs: { ship: { does: { deploy.run: {} } } }, rules: [packs/coding]", "'deploy.run'", "deploys.run"],
    [
      "programs: { ship: { commands: { it: { does: [{ git.pusch: {} }] } } } }, rules: [packs/coding]",
      "'git.pusch'",
      "git.push",
    ],
    ["rules: [{ id: a, on: git.push, when: args.forse }]", "has no argument 'forse'", "force"],
    ["rules: [{ id: a, on: [git.push, git.commit], unless: has(args.noVerfy) }]", "'noVerfy'", "noVerify"],
    ["rules: [{ pack: packs/coding, except: { no-force-push: 'args.remotte == \"fork\"' } }]", "'remotte'", "remote"],
  ])(
    "CFG-14 a misspelt effect or argument is a fault that names the nearest known one: %s",
    (agent, message, meant) => {
      write(join(home, "conduct.yaml"), `agents: { ada: { ${agent} } }\n`);
      const { said, status } = conduct("config", "check");
      expect([said, status]).toEqual([expect.stringContaining(message), 1]);
      expect(said).toContain(`did you mean '${meant}'?`);
      expect(said).toContain("1 fault in");
    },
  );

  it.each([
    [
      "an effect of one's own",
      "programs: { x: { does: { git.pull: { fast: -f } } } }, rules: [{ id: a, on: git.pull, when: args.fast }]",
    ],
    [
      "the arguments of a server's tool",
      "actions: { live: { tool: srv/live, implies: [deploys.run] } }, rules: [{ id: a, on: deploys.run, when: 'args.stage == \"x\"' }]",
    ],
    ["an argument that one of the effects has", "rules: [{ id: a, on: [git.push, git.commit], when: args.amend }]"],
  ])("CFG-15 %s is no fault", (_what, agent) => {
    write(join(home, "conduct.yaml"), `agents: { ada: { ${agent} } }\n`);
    expect(conduct("config", "check").said).toContain("no faults");
  });

  it("CFG-6 a project's file in the home comes before the common one, and --config before both", () => {
    write(join(home, "conduct.yaml"), "agents: { common: {} }\n");
    write(projectConfigPath(home, dirname(shop)), "agents: { shop: {} }\n");
    write(join(shop, "mine.yaml"), "agents: { mine: {} }\n");
    const agent = (...argv: readonly string[]) => JSON.parse(conduct(...argv, "--json").stdout).result.session.agent;
    expect(agent("prompt", "preview")).toBe("shop");
    expect(agent("prompt", "preview", "--config", "mine.yaml")).toBe("mine");
  });

  it("CFG-7 without any file the built-in agents apply, and doctor does not praise a file that is not there", () => {
    expect(conduct("config", "check").said).toContain("config   built in (no conduct.yaml found)");
    expect(conduct("doctor").said).toMatch(/! config\s+built in \(no conduct\.yaml found\): the coding rules/);
  });

  it("CFG-8 a broken file is shown with line and column by every command", () => {
    write(join(home, "conduct.yaml"), "agents:\n  ada:\n    polices: []\n");
    for (const line of [
      ["config", "check"],
      ["prompt", "preview"],
      ["replay", "--rules", "packs/coding"],
    ]) {
      const { status, said } = conduct(...line);
      expect([status, said]).toEqual([1, expect.stringContaining("conduct.yaml:3:5  unknown key 'polices'")]);
    }
    expect(conduct("status").said.replaceAll(/\s+/g, " ")).toContain("✗ every call is denied: ");
  });
});

describe("conduct config schema --install", () => {
  const world = (ask: SchemaWorld["ask"]): SchemaWorld => ({ home, inside: () => undefined, ask });
  const yes = async () => true;

  it("CFG-9 shows the lines, asks, and names the schema in conduct.yaml and its rules; a second run changes nothing", async () => {
    const config = write(join(home, "conduct.yaml"), "agents: { ada: { rules: [packs/coding, ./mine.yaml] } }\n");
    const rules = write(join(home, "mine.yaml"), `rules: [${RULE}]\r\n`);
    chmodSync(config, 0o640);
    const terminal = testTerminal({ cwd: shop });
    expect(await installSchemas({ file: [] }, terminal, world(yes))).toMatchObject({ ok: true });
    const line = (name: string) => `# yaml-language-server: $schema=${join(home, `schema/${name}.schema.json`)}`;
    expect(terminal.said()).toContain(`+ ${line("conduct")}`);
    expect(readFileSync(config, "utf8")).toBe(
      `${line("conduct")}\nagents: { ada: { rules: [packs/coding, ./mine.yaml] } }\n`,
    );
    expect(readFileSync(rules, "utf8")).toBe(`${line("rules")}\r\nrules: [${RULE}]\r\n`);
    expect(statSync(config).mode & 0o777).toBe(0o640);
    expect(JSON.parse(readFileSync(join(home, "schema/conduct.schema.json"), "utf8")).title).toBe("conduct.yaml");
    const again = await installSchemas(
      { file: [] },
      testTerminal({ cwd: shop }),
      world(() => expect.unreachable()),
    );
    expect(again).toMatchObject({ ok: true, result: { changed: [] } });
  });

  it("CFG-10 an old line is replaced, and a no changes nothing at all", async () => {
    const old = "# yaml-language-server: $schema=./old.json\ncases: []\n";
    const file = write(join(shop, "cases.yaml"), old);
    const refused = await installSchemas(
      { file: ["cases.yaml"] },
      testTerminal({ cwd: shop }),
      world(async () => false),
    );
    expect(refused).toMatchObject({ ok: false, code: "NOT_CONFIRMED" });
    expect([readFileSync(file, "utf8"), statSync(join(home, "schema"), { throwIfNoEntry: false })]).toEqual([
      old,
      undefined,
    ]);
    await installSchemas({ file: ["cases.yaml"] }, testTerminal({ cwd: shop }), world(yes));
    expect(readFileSync(file, "utf8")).toBe(
      `# yaml-language-server: $schema=${join(home, "schema/cases.schema.json")}\ncases: []\n`,
    );
  });

  it("CFG-11 the program refuses other files, and files without --install", () => {
    write(join(shop, "package.yaml"), "name: x\n");
    expect(conduct("config", "schema", "--install", "package.yaml").said).toContain("UNKNOWN_FILE");
    expect(conduct("config", "schema", "package.yaml")).toMatchObject({ status: 2 });
  });
});

describe("config check", () => {
  it("CFG-12 a model that does not exist is a fault, with the nearest name; own and local models are not", () => {
    const check = (yaml: string) => conduct("config", "check", write(join(shop, "c.yaml"), yaml));
    const wrong = check("agents:\n  a:\n    model: anthropic/claude-sonet-4-5\n");
    expect(wrong.status).toBe(1);
    expect(wrong.said).toMatch(/c\.yaml:3:12 {2}provider anthropic has no model "claude-sonet-4-5"/);
    expect(wrong.said).toContain("did you mean claude-sonnet-4-5?");
    const own = "models: { own/one: { baseUrl: http://x, api: openai-completions } }\n";
    expect(
      check(`agents: { a: { model: own/one, sessionLabels: { enabled: true, model: local/rules } } }\n${own}`),
    ).toMatchObject({
      status: 0,
    });
  });

  it("CFG-16 config check, prompt lint and doctor warn of a classifier that cannot be asked from here", () => {
    const file = write(
      join(home, "conduct.yaml"),
      `agents:
  a:
    sessionLabels: { enabled: true, model: own/small }
models:
  own/small: { baseUrl: http://x, api: openai-completions, key: SMALL_KEY_OF_THE_TEST }
review: { model: own/none }
`,
    );
    for (const words of [["config", "check"], ["prompt", "lint"], ["doctor"]]) {
      expect(conduct(...words).said, words.join(" ")).toContain('there is no model provider "own"');
    }
    write(file, readFileSync(file, "utf8").replace(/^review.*\n/m, ""));
    for (const words of [["config", "check"], ["prompt", "lint"], ["doctor"]]) {
      const { said, status } = conduct(...words);
      expect(said.replace(/\s+/g, " "), words.join(" ")).toContain("the environment variable SMALL_KEY_OF_THE_TEST");
      if (words[0] !== "doctor") expect(status, said).toBe(0);
    }
  });
});
