import { isMap, isScalar, isSeq, parseDocument } from "yaml";

/** The conduct.yaml with every pack of every agent at this level. Its comments and everything else stay. */
export function withLevel(text: string, level: string): string {
  const document = parseDocument(text);
  const agents = document.get("agents");
  for (const { value: agent } of isMap(agents) ? agents.items : []) {
    const rules = isMap(agent) ? agent.get("rules") : undefined;
    if (!isSeq(rules)) continue;
    rules.items.forEach((rule, at) => {
      if (isMap(rule) && rule.has("pack")) rule.set("level", level);
      if (!isScalar(rule) || typeof rule.value !== "string" || !rule.value.startsWith("packs/")) return;
      const chosen = document.createNode({ pack: rule.value, level }, { flow: true });
      chosen.commentBefore = rule.commentBefore;
      chosen.comment = rule.comment;
      chosen.spaceBefore = rule.spaceBefore ?? false;
      rules.items[at] = chosen;
    });
  }
  return document.toString({ lineWidth: 0 });
}
