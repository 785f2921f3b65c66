import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * `npm run packages [-- FOLDER]`: writes the packages for the places where users of a runtime look (`packages/dist`): a
 * marketplace for Claude Code, and one npm package each for OpenCode, OpenClaw and Pi. They contain no code of Conduct: they
 * depend on the one package, and `compat/packages.test.ts` installs them with the runtime's own program.
 */

const ROOT = join(import.meta.dirname, "..");
type Stated = { readonly version: string; readonly description: string; readonly license: string };

/** The files of all packages, by their path. */
export function packageFiles(): ReadonlyMap<string, string> {
  const stated: Stated = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const openclaw = JSON.parse(
    readFileSync(join(ROOT, "src/edge/adapters/openclaw/plugin/openclaw.plugin.json"), "utf8"),
  );
  return new Map([
    ...claudeCode(stated),
    ...npmPackage(stated, "opencode", {
      title: "OpenCode",
      add: 'Add it to `opencode.json`: `{ "plugin": ["conduct-opencode"] }`.',
      keywords: ["opencode", "opencode-plugin"],
      entry: OPENCODE,
    }),
    ...npmPackage(stated, "pi", {
      title: "Pi",
      add: "Run `pi install npm:conduct-pi`.",
      keywords: ["pi-package"],
      entry: PI,
      more: { pi: { extensions: ["./index.js"] } },
    }),
    ...npmPackage(stated, "openclaw", {
      title: "OpenClaw",
      add: `Run \`openclaw plugins install conduct-openclaw --accept-capabilities\`. Then let it see the conversation, or it
only gates calls: \`openclaw config set plugins.entries.conduct.hooks.allowConversationAccess true\`.`,
      keywords: ["openclaw", "openclaw-plugin"],
      entry: OPENCLAW(openclaw),
      more: { openclaw: { extensions: ["./index.js"] } },
    }),
    ["openclaw/openclaw.plugin.json", json({ ...openclaw, version: stated.version })],
  ]);
}

/** A runtime that `conduct init` has set up loads Conduct already; a second copy would decide everything twice. */
const OPENCODE = `import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { conductPlugin } from "agent-conduct/opencode";

const config = process.env.XDG_CONFIG_HOME || \`\${process.env.HOME || homedir()}/.config\`;

export const Conduct = async (input) =>
  existsSync(\`\${config}/opencode/plugin/conduct.js\`) ? {} : conductPlugin()(input);
`;

const PI = `import { existsSync } from "node:fs";
import { homedir } from "node:os";
import conduct from "agent-conduct/pi-extension";

const folder = process.env.PI_CODING_AGENT_DIR || \`\${process.env.HOME || homedir()}/.pi/agent\`;

export default function (pi) {
  if (!existsSync(\`\${folder}/extensions/conduct.ts\`)) conduct(pi);
}
`;

/** OpenClaw runs several copies of a plugin in one process, so the conversations are loaded from their real path. */
const OPENCLAW = ({
  id,
  name,
  description,
  contracts,
}: OpenClawManifest) => `import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

const abort = async (sessionId) => {
  const sdk = await import("openclaw/plugin-sdk/agent-harness-runtime");
  sdk.abortAgentHarnessRun?.(sessionId);
};

export default {
  id: ${JSON.stringify(id)},
  name: ${JSON.stringify(name)},
  description: ${JSON.stringify(description)},
  register(api) {
    const load = require(join(dirname(require.resolve("agent-conduct/openclaw")), "openclaw-load.mjs"));
    load.registerConduct(api, ${JSON.stringify(contracts.tools)}, abort);
  },
};
`;
type OpenClawManifest = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly contracts: { readonly tools: readonly string[] };
};

type NpmPackage = {
  readonly title: string;
  /** How a user adds it to the runtime. */
  readonly add: string;
  readonly keywords: readonly string[];
  readonly entry: string;
  readonly more?: object;
};

function npmPackage(stated: Stated, runtime: string, { title, add, keywords, entry, more }: NpmPackage) {
  const name = `conduct-${runtime}`;
  const manifest = {
    name,
    version: stated.version,
    description: `Conduct for ${title}. ${stated.description}`,
    license: stated.license,
    type: "module",
    exports: "./index.js",
    engines: { node: ">=24" },
    dependencies: { "agent-conduct": stated.version },
    keywords: ["agent-conduct", ...keywords],
    ...more,
  };
  const readme = `# Conduct for ${title}

${stated.description}

${add} Its daemon starts by itself, with the rules of \`~/.conduct/conduct.yaml\`, or the coding pack.

To also get the exec gate and updates that need no new plugin, run \`npm i -g agent-conduct && conduct init ${runtime}\`
instead. This package then does nothing.
`;
  return [
    [`${runtime}/package.json`, json(manifest)],
    [`${runtime}/index.js`, entry],
    [`${runtime}/README.md`, readme],
  ] as const;
}

/** A marketplace with one plugin. HTTP hooks need this machine's token, so the plugin leads to \`conduct init\`. */
function claudeCode({ version, description, license }: Stated) {
  const author = { name: "Conduct" };
  const hook = { type: "command", command: HINT, timeout: 10 };
  return [
    [
      "claude-code/.claude-plugin/marketplace.json",
      json({
        name: "conduct",
        owner: author,
        metadata: { description, version },
        plugins: [{ name: "conduct", source: "./conduct", description }],
      }),
    ],
    [
      "claude-code/conduct/.claude-plugin/plugin.json",
      json({ name: "conduct", version, description, author, license }),
    ],
    [
      "claude-code/conduct/hooks/hooks.json",
      json({ description: "Says how to set up Conduct where it is not", hooks: { SessionStart: [{ hooks: [hook] }] } }),
    ],
    ["claude-code/conduct/skills/conduct/SKILL.md", SKILL],
  ] as const;
}

/** \`conduct init\` writes the launcher; without it nothing is enforced, and the person should know. */
const HINT = `test -x "\${CONDUCT_HOME:-$HOME/.conduct}/bin/conduct" || printf '%s' '{"systemMessage":"Conduct is installed as a plugin, but not set up: nothing is enforced. Run: npm i -g agent-conduct && conduct init claude-code"}'`;

const SKILL = `---
name: conduct
description: Explains what Conduct denied, asked or required in this session, and how to change its rules. Use it after a call was denied by Conduct, or when the person asks about rules, the contract or directives.
---

# Conduct

Conduct decides on every tool call of this session. A denial names the rule, the reason and the next step.

1. Follow the line that begins with \`Next:\`. Do not try the same call in another form.
2. To see why a call was decided so, run \`conduct why\`. To see all rules in force here, run \`conduct rules list\`.
3. To test a command before you run it, use \`conduct policy explain 'git push -f'\`.
4. Only a person changes rules, approves calls or pauses Conduct. Tell the person the command: \`conduct approvals\`,
   \`conduct pause\`, \`conduct behavior\`.
`;

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export function writePackages(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of packageFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(ROOT, "packages/dist");
  writePackages(folder);
  process.stdout.write(`packages for Claude Code, OpenCode, OpenClaw and Pi in ${folder}\n`);
}
