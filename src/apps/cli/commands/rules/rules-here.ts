import type { Rule } from "../../../../base/words/rule.ts";
import type { ConfigUsed } from "../../../../edge/host/daemon/daemon-agents.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { describeOff } from "../../../policy/describe-off.ts";
import { hang, oneLine, plural } from "../../../shared/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { configHere } from "../../stores/config-here.ts";
import { configText } from "../../stores/config-text.ts";
import { keptAnswer } from "../../stores/kept-answer.ts";
import { spoken } from "../behavior/render.ts";

/** The rules of the configuration that is in force in this folder, for people and programs. */
export async function rulesHere(terminal: Terminal, full: boolean) {
  const { cwd } = terminal;
  // Compiling the rules takes ten times as long as everything else here. The name of a bundle changes with its content.
  const isBundle = import.meta.url.endsWith(".mjs");
  const folder = isBundle ? process.getBuiltinModule("node:module").getCompileCacheDir() : undefined;
  const key = JSON.stringify([import.meta.url, conductHome(), cwd]);
  const found = await keptAnswer({ folder, name: "rules-here", key }, () => summariseHere(terminal));
  if ("fault" in found)
    return { agents: [], text: `\n  The rules of your configuration cannot be read: ${found.fault}\n` };
  const { agents } = found;
  const { paint, invocation } = terminal;
  const head = `\n  ${paint("bold", "Rules in force here")}   ${paint("dim", configText(found.config, cwd))}\n`;
  const more = full ? "" : `\n  Every rule, and why it exists: ${spoken("conduct rules list --full", invocation)}\n`;
  const text =
    agents.length === 0 ? "" : `${head}${agents.map((one) => renderAgent(one, full, terminal)).join("")}${more}`;
  return { agents: agents.map(({ offTexts: _, ...one }) => one), text };
}

type RulesHere = { readonly config: ConfigUsed; readonly agents: readonly ShownAgent[] };

async function summariseHere(terminal: Terminal): Promise<{
  readonly value: RulesHere | { readonly fault: string };
  readonly files?: readonly string[];
}> {
  const found = await configHere(undefined, terminal);
  if ("ok" in found) return { value: { fault: found.message } };
  const { rulesOfAgent } = await import("../../../../behavior/policy/rules/rules-policy.ts");
  const agents = found.agents
    .map((agent) => {
      const sets = rulesOfAgent(agent);
      return {
        name: agent.name,
        rules: sets.flatMap(({ rules }) => rules.map(summarise)),
        off: sets.flatMap(({ off = [] }) => off.map(({ id, level, why, by }) => ({ id, level, why, by }))),
        offTexts: sets.flatMap(({ off = [] }) => off.map(describeOff)),
      };
    })
    .filter(({ rules, off }) => rules.length + off.length > 0);
  return { value: { config: found.config, agents }, files: found.files };
}

type Summary = Pick<Rule, "id" | "effect" | "level" | "why" | "except"> & { readonly file?: string };

function summarise({ id, effect, level, why, except, place }: Rule): Summary {
  return { id, effect, level, why, except, file: place?.file };
}

type ShownAgent = {
  readonly name: string;
  readonly rules: readonly Summary[];
  readonly off: readonly object[];
  readonly offTexts: readonly string[];
};

function renderAgent({ name, rules, offTexts }: ShownAgent, full: boolean, { paint, columns }: Terminal): string {
  const row = (label: string, text: string) => hang(`    ${paint("dim", label.padEnd(7))} `, text, columns);
  const sources = [...Map.groupBy(rules, ({ file, level }) => JSON.stringify([file ?? "code", level]))].map(
    ([, of]) => {
      const [first] = of;
      return `${first?.file ?? "code"}: ${plural(of.length, "rule")}, level ${first?.level ?? "standard"}`;
    },
  );
  const width = Math.max(0, ...rules.map(({ id }) => id.length));
  const each = rules.flatMap(({ id, effect, why }) => [
    `    ${paint("bold", oneLine(id).padEnd(width))}   ${effect}`,
    ...(why === undefined ? [] : hang("      ", why, columns).map((line) => paint("dim", line))),
  ]);
  return `${[
    "",
    `  ${paint("bold", name)}`,
    ...sources.flatMap((source, at) => row(at === 0 ? "from" : "", source)),
    ...offTexts.flatMap((text, at) => row(at === 0 ? "off" : "", text)),
    ...rules.flatMap(({ id, except }) => (except === undefined ? [] : row("except", `${id}: ${oneLine(except)}`))),
    ...(full ? ["", ...each] : []),
  ].join("\n")}\n`;
}
