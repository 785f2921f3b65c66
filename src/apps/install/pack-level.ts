import { isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";

type Edit = { readonly from: number; readonly to: number; readonly text: string };

/** The conduct.yaml with every pack of every agent at this level. Nothing else in the text changes. */
export function withLevel(text: string, level: string): string {
  const agents = parseDocument(text).get("agents");
  const edits = (isMap(agents) ? agents.items : []).flatMap(({ value: agent }) => {
    const rules = isMap(agent) ? agent.get("rules", true) : undefined;
    return isSeq(rules) ? rules.items.flatMap((rule) => editOf(rule, level, text)) : [];
  });
  // The last one first, so that the places of the others stay.
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((before, { from, to, text: put }) => before.slice(0, from) + put + before.slice(to), text);
}

function editOf(rule: unknown, level: string, text: string): readonly Edit[] {
  if (isScalar(rule) && typeof rule.value === "string" && rule.value.startsWith("packs/")) {
    return replace(rule, `{ pack: ${rule.value}, level: ${level} }`);
  }
  if (!isMap(rule)) return [];
  const pack = rule.items.find(({ key }) => isScalar(key) && key.value === "pack");
  const chosen = rule.get("level", true);
  if (pack === undefined || !isScalar(pack.value)) return [];
  if (isScalar(chosen)) return replace(chosen, level);
  const end = pack.value.range?.[1] ?? 0;
  if (rule.flow === true) return [{ from: end, to: end, text: `, level: ${level}` }];
  const start = isScalar(pack.key) ? (pack.key.range?.[0] ?? 0) : 0;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  return [{ from: end, to: end, text: `\n${" ".repeat(column)}level: ${level}` }];
}

function replace({ range }: Node, text: string): readonly Edit[] {
  return range == null ? [] : [{ from: range[0], to: range[1], text }];
}
