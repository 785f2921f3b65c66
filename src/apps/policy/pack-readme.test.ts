import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Level, RuleSet } from "../../base/words/rule.ts";
import { packageFile } from "../../edge/host/node/package-files.ts";
import { parseRules } from "../../engine/agent/rules/parse-rules.ts";

const PACKS = readdirSync(packageFile("packs"));
const LEVELS: readonly Level[] = ["gentle", "standard", "strict"];

function rulesOf(pack: string, level: Level): RuleSet {
  const parsed = parseRules(readFileSync(packageFile(`packs/${pack}/rules.yaml`), "utf8"), pack, { level });
  if ("faults" in parsed) throw new Error(parsed.faults.map(({ message }) => message).join("; "));
  return parsed.ruleSet;
}

/** Every rule with its effect at each level. */
function tableOf(pack: string): string {
  const sets = LEVELS.map((level) => rulesOf(pack, level));
  const [first = { rules: [], off: [] }] = sets;
  const all = [...first.rules, ...(first.off ?? [])].sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
  const rows = all.map(({ id, why }) => {
    const effects = sets.map(({ rules }) => rules.find((rule) => rule.id === id)?.effect ?? "-");
    return `| \`${id}\` | ${effects.join(" | ")} | ${why} |`;
  });
  return ["| rule | gentle | standard | strict | why |", "|---|---|---|---|---|", ...rows].join("\n");
}

describe("the packs", () => {
  it.each(PACKS)(
    "LVL-20 the README of %s lists every rule with its effects (npx vitest run src/apps/policy --update)",
    async (pack) => {
      const path = packageFile(`packs/${pack}/README.md`);
      const text = readFileSync(path, "utf8");
      const table = `<!-- rules -->\n${tableOf(pack)}\n<!-- /rules -->`;
      await expect(text.replace(/<!-- rules -->[\s\S]*<!-- \/rules -->/, () => table)).toMatchFileSnapshot(path);
    },
  );

  it.each(PACKS)(
    "LVL-21 every rule of %s says why; gentle stops nothing, and no level is milder than the one before",
    (pack) => {
      const strictness = ["off", "shadow", "remind", "warn", "ask", "soft-deny", "deny", "end-turn"];
      const rank = (set: RuleSet, id: string) =>
        strictness.indexOf(set.rules.find((rule) => rule.id === id)?.effect ?? "off");
      const [gentle, standard, strict] = LEVELS.map((level) => rulesOf(pack, level));
      if (gentle === undefined || standard === undefined || strict === undefined) throw new Error("no levels");
      expect(strict.rules.length).toBeGreaterThanOrEqual(10);
      for (const { id, why } of strict.rules) {
        expect(why, id).toMatch(/^[A-Z].*[.]$/);
        expect(rank(gentle, id), id).toBeLessThanOrEqual(strictness.indexOf("warn"));
        expect(rank(gentle, id), id).toBeLessThanOrEqual(rank(standard, id));
        expect(rank(standard, id), id).toBeLessThanOrEqual(rank(strict, id));
      }
    },
  );
});
