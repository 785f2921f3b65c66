import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { type ModelServer, startModelServer } from "../src/testing/test/model-server/index.ts";
import { EXAMPLES, type Example } from "./example-runtimes.ts";

/**
 * `node scripts/package-examples.ts TARBALL [NAME…]`: runs each example as a stranger would, outside the checkout and
 * against the packed tarball. A scripted model on loopback plays the provider. Exits with 1 if an example fails; a
 * runtime that the registry does not have is reported and skipped.
 */

const [tarball = "", ...names] = process.argv.slice(2);
const ROOT = join(import.meta.dirname, "..");
const LIMIT_MS = 240_000;

/** One example outside the checkout, with a home folder of its own. */
type Place = { readonly folder: string; readonly home: string; readonly env: NodeJS.ProcessEnv };
type Outcome = { readonly ok: boolean; readonly lines: readonly string[] };

if (!existsSync(tarball)) fail("Name the tarball: node scripts/package-examples.ts agent-conduct-0.1.0.tgz [NAME…]");
const wanted = EXAMPLES.filter(({ name }) => names.length === 0 || names.includes(name));
if (wanted.length === 0) fail(`No such example. Known: ${EXAMPLES.map(({ name }) => name).join(", ")}`);

/** The registry does not have the runtime, or cannot be reached. */
class NotInstallable extends Error {}

let failed = 0;
let skipped = 0;
for (const example of wanted) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `conduct-example-${example.name}-`)));
  try {
    const { ok, lines } = await runExample(example, prepare(example, root));
    if (!ok) failed += 1;
    console.log(`${ok ? "✓" : "✗"} ${example.name.padEnd(13)} ${lines.join("\n    ")}`);
  } catch (error) {
    const isSkipped = error instanceof NotInstallable;
    if (isSkipped) skipped += 1;
    else failed += 1;
    console.log(
      `${isSkipped ? "–" : "✗"} ${example.name.padEnd(13)} ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
const ran = wanted.length - failed - skipped;
console.log(
  `\n${ran} of ${wanted.length} examples ran against ${tarball}; ${failed} failed, ${skipped} not installable here`,
);
process.exitCode = failed === 0 ? 0 : 1;

/** Copies the example and installs the tarball in place of the published package. */
function prepare({ name, packages = [] }: Example, root: string): Place {
  const [folder, home] = [join(root, name), join(root, "home")];
  cpSync(join(ROOT, "examples", name), folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
  mkdirSync(home);
  const manifest = join(folder, "package.json");
  const content = JSON.parse(readFileSync(manifest, "utf8"));
  content.dependencies["agent-conduct"] = `file:${resolve(tarball)}`;
  writeFileSync(manifest, JSON.stringify(content));
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
  const { status, stderr } = spawnSync("npm", install, { cwd: folder, encoding: "utf8" });
  if (status !== 0) {
    const message = `cannot be installed here: ${stderr.trim().split("\n").slice(0, 2).join(" ")}`;
    throw /E40[34]|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN/.test(stderr)
      ? new NotInstallable(message)
      : new Error(message);
  }
  if (existsSync(join(folder, "main.ts"))) checkTypes(folder);
  const path = [join(folder, "node_modules/.bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"];
  const env = { PATH: path.join(delimiter), HOME: home, CONDUCT_HOME: join(home, ".conduct"), LANG: "C.UTF-8" };
  return { folder, home, env };
}

/** Checks the example's types against the declarations of the tarball. */
function checkTypes(folder: string): void {
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "esnext"];
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const { status, stdout } = spawnSync(tsc, [...options, ...types, "main.ts"], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`main.ts has type errors:\n${stdout}`);
}

async function runExample(example: Example, place: Place): Promise<Outcome> {
  const commands = ["npm run deploy", "npm test", "npm run deploy"];
  // Runtimes also ask for a title, without tools.
  const server = await startModelServer({
    script: ({ tools }) => {
      const command = tools.length === 0 ? undefined : commands.shift();
      return command === undefined ? { text: "Deployed." } : { calls: [example.model(command)] };
    },
  });
  try {
    if (existsSync(join(place.folder, "conduct.yaml"))) {
      mkdirSync(join(place.home, ".conduct"));
      cpSync(join(place.folder, "conduct.yaml"), join(place.home, ".conduct/conduct.yaml"));
    }
    return example.init === undefined ? await runProgram(place, server) : await runRuntime(example, place, server);
  } finally {
    await run(place, "conduct", ["daemon", "stop"]);
    await server.close();
  }
}

/** Runs `npm start` and compares its output with the example's `output.txt`. */
async function runProgram(place: Place, server: ModelServer): Promise<Outcome> {
  const env = {
    ...place.env,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "none",
    OPENAI_BASE_URL: server.openaiUrl,
    OPENAI_API_KEY: "none",
  };
  const { stdout, stderr } = await run({ ...place, env }, "npm", ["start", "--silent"]);
  const expected = readFileSync(join(place.folder, "output.txt"), "utf8");
  if (stdout === expected) return { ok: true, lines: ["npm start prints output.txt"] };
  return { ok: false, lines: ["npm start does not print output.txt, but:", ...`${stdout}${stderr}`.split("\n")] };
}

/** Sets the runtime up with `conduct init` and `conduct enforce`, then lets it deploy without tests. */
async function runRuntime(example: Example, place: Place, server: ModelServer): Promise<Outcome> {
  const { init = "", initOptions = [], settings, command = [] } = example;
  for (const [path, text] of Object.entries(settings?.(server, place) ?? {})) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  const env = { ...place.env, ...example.env?.(server, place) };
  const at = { ...place, env };
  for (const words of [
    ["init", init, "--yes", ...initOptions],
    ["enforce", init, "--yes"],
  ]) {
    const { code, stdout, stderr } = await run(at, "conduct", words);
    if (code !== 0) return { ok: false, lines: [`conduct ${words.join(" ")} failed:`, `${stdout}${stderr}`.trim()] };
  }
  const [program = "", ...args] = command;
  const { stdout, stderr } = await run(at, program, args);
  const denial = server.requests.flatMap(({ results }) => results).find(({ text }) => text.includes("Denied by"));
  const deployed = existsSync(join(place.folder, "deployed.txt"))
    ? readFileSync(join(place.folder, "deployed.txt"), "utf8").split("\n").length - 1
    : 0;
  if (denial?.text.includes("deploy-needs-tests") && deployed === 1)
    return { ok: true, lines: [`${program} was denied the deploy, ran the tests, and deployed once`] };
  const seen = `${server.requests.length} model requests, denial: ${denial?.text ?? "none"}, deployed ${deployed} times`;
  return { ok: false, lines: [seen, `${stdout}${stderr}`.trim().slice(-2_000)] };
}

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function run({ folder, env }: Place, program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT_MS });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
