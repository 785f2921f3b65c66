import type { ConfigUsed } from "../../../../edge/host/daemon/daemon-agents.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { findConfig } from "../../../../edge/host/workspace/find-config.ts";
import { hang } from "../../../shared/printable.ts";
import type { ConfigCheckArgs, ConfigSchemaArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { shortPath } from "../../stores/config-text.ts";

/** `conduct config schema`: prints the content of `docs/schema/conduct.schema.json`, or installs the schemas. */
export async function configSchemaCommand(args: ConfigSchemaArgs, terminal: Terminal): Promise<Outcome> {
  if (args.install === true) return (await import("./install-schema.ts")).installSchemas(args, terminal);
  if (args.file.length > 0) return badArgument("files are for --install", "conduct config schema --install FILE");
  const { configJsonSchema } = await import("../../../../engine/agent/config/parse-config.ts");
  const schema = configJsonSchema();
  return done(schema, `${JSON.stringify(schema, null, 2)}\n`, [
    { command: "conduct config check", description: "Check the configuration in force here" },
    { command: "conduct config schema --install", description: "Let your editor check your files" },
  ]);
}

/** `conduct config check [FILE]`. Without a file there is nothing to check, and nothing is compiled. */
export async function configCheck(args: ConfigCheckArgs, terminal: Terminal): Promise<Outcome> {
  const home = conductHome();
  const { base, added } = findConfig({ home, folder: terminal.cwd, flag: args.file });
  if (base !== undefined || added.length > 0) return (await import("./check-config.ts")).checkConfig(args, terminal);
  const { columns, invocation, cwd } = terminal;
  const config: ConfigUsed = { from: "built-in", faults: [] };
  const text = [
    `There is no conduct.yaml in this folder, its parents or ${shortPath(home, cwd)}, so there is nothing to check.`,
    `Agents that start here get the built-in coding rules. See them: ${invocation} policy explain`,
    `Write a file that fits this project: ${invocation} init`,
  ];
  const lines = text.flatMap((line) => hang("  ", line, columns));
  const next = [{ command: "conduct init", description: "Write a conduct.yaml that fits this project" }];
  return done({ agents: [], channels: {}, warnings: [] }, `\n${lines.join("\n")}\n\n`, next, config);
}
