import { basename, relative, resolve } from "node:path";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { ContributorContext } from "../../../../base/words/prompt.ts";
import { contractFor } from "../../../../behavior/contract/active-contract.ts";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { rulesOfAgent } from "../../../../behavior/policy/rules/rules-policy.ts";
import { packageFile } from "../../../../edge/host/node/package-files.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { isInside } from "../../../../edge/host/workspace/workspace-prompts-read.ts";
import { EXPORT_BEGIN, EXPORT_END } from "../../../import/instruction-lines.ts";
import { readSettings, whyReadOnly, writeSettings } from "../../../install/settings-file.ts";
import { quoted } from "../../../shared/printable.ts";
import type { ExportArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { askFirst, confirm } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { configHere } from "../../stores/config-here.ts";
import { damaged, type GovernanceWorld, thisMachine, withContract } from "../../stores/with-contract.ts";

export type ExportWorld = {
  readonly home: string;
  inside(): AgentAround | undefined;
  ask(question: string): Promise<boolean | undefined>;
  governance(): GovernanceWorld;
};

const world = (): ExportWorld => {
  return { home: conductHome(), inside: insideAgent, ask: confirm, governance: thisMachine };
};

/**
 * Writes what can be said in words: directives, the texts of conduct.yaml, and the messages of your own rules. In a file it
 * replaces its own block and leaves the rest. Texts that came from that file are left out.
 */
export async function exportText(args: ExportArgs, terminal: Terminal, at: ExportWorld = world()): Promise<Outcome> {
  const found = await configHere(undefined, terminal, at.home);
  if ("ok" in found) return found;
  const agent =
    found.agents.find(({ name }) => name === (args.agent ?? "coding")) ??
    (args.agent === undefined ? found.agents[0] : undefined);
  if (agent === undefined)
    return badArgument(`there is no agent '${args.agent}' here`, "conduct config check", "UNKNOWN_AGENT");
  const target = args.file === undefined ? undefined : resolve(terminal.cwd, args.file);
  const source = target === undefined ? undefined : relative(terminal.cwd, target);
  const asked = at.governance();
  return withContract(asked, "read", async ({ service }) => {
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const { directives } = contractFor(state, { agent: agent.name }, asked.clock.now());
    const block = blockOf(agent, directives.map(writeDirective), source);
    const result = { agent: agent.name, file: target, text: block };
    if (target === undefined) return done(result, `${block}\n`);
    const again = `conduct export ${quoted(args.file ?? "")}`;
    const around = at.inside();
    if (around !== undefined) return refuseAgent(around, "only a person can write instruction files", again);
    const before = (await readSettings(target)) ?? "";
    const after = withBlock(before, block);
    if (after === undefined) {
      return failed(
        "EXPORT_BLOCK",
        `${args.file} has ${EXPORT_BEGIN} without its end`,
        `add the line ${EXPORT_END} below it`,
      );
    }
    if (after === before) return done(result, `\n  ${terminal.paint("green", "✓")} ${args.file} is up to date\n\n`);
    const locked = await whyReadOnly(target);
    if (locked !== undefined)
      return failed("NOT_WRITABLE", `${args.file} cannot be written: ${locked.refused}`, locked.fix);
    const asking = { yes: args.yes, shown: `\n${block}\n\n`, question: `Write this block to ${basename(target)}?` };
    const refused = await askFirst(asking, `${again} --yes`, result, terminal, at.ask);
    if (refused !== undefined) return refused;
    await writeSettings(target, after);
    return done(result, `\n  ${terminal.paint("green", "✓")} written to ${args.file}\n\n`);
  });
}

function blockOf(agent: Agent, directives: readonly string[], source: string | undefined): string {
  const isFrom = (say: string) =>
    source !== undefined && new RegExp(`\\(${source.replace(/\W/g, "\\$&")}:\\d+\\)$`).test(say);
  const own = rulesOfAgent(agent)
    .flatMap(({ rules }) => rules)
    .filter(
      ({ place }) =>
        place?.file === undefined || !isInside(resolve(packageFile("."), place.file), packageFile("packs")),
    );
  const says = own.flatMap(({ say }) =>
    say === undefined || say.includes("{{") || isFrom(say) ? [] : [say.replace(/ \([^()]+:\d+\)$/, "")],
  );
  const texts = agent.contributors.flatMap((one) => {
    if (source !== undefined && one.id.startsWith(`imported:${source.replace(/^[./]+/, "")}`)) return [];
    // Contributors of a file give the same section in every session.
    const section = one.contribute({} as ContributorContext);
    const when = (one.tags ?? []).map(({ dimension, value }) => `${dimension} ${value}`).join(" or ");
    return section === undefined
      ? []
      : [`## ${section.heading ?? one.id}\n\n${when === "" ? "" : `For ${when}:\n\n`}${section.content.trim()}`];
  });
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}\n\n${lines.map((line) => `- ${line}`).join("\n")}`];
  const parts = [...list("Standing instructions", directives), ...list("Rules", [...new Set(says)]), ...texts];
  return [EXPORT_BEGIN, ...(parts.length === 0 ? ["(nothing to export)"] : [parts.join("\n\n")]), EXPORT_END].join(
    "\n",
  );
}

/** The text with its block replaced, or added at the end; `undefined` if a block has no end. */
export function withBlock(text: string, block: string): string | undefined {
  const begin = text.indexOf(EXPORT_BEGIN);
  if (begin < 0) return text === "" ? `${block}\n` : `${text.replace(/\n*$/, "\n\n")}${block}\n`;
  const end = text.indexOf(EXPORT_END, begin);
  return end < 0 ? undefined : `${text.slice(0, begin)}${block}${text.slice(end + EXPORT_END.length)}`;
}
