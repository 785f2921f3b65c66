import { type Document, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { ImportedContributor } from "./import-plan.ts";
import { IMPORTED } from "./import-record.ts";

const PACK = `./${IMPORTED}`;
const OWN_ID = /^imported:/;

/** The agents of a conduct.yaml that coding runtimes play: `coding` if there is one, else all of them. */
export function importingAgents(text: string): readonly string[] {
  const agents = parseDocument(text).get("agents");
  const names = isMap(agents) ? agents.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : [];
  const own = names.filter((name) => name !== "defaults");
  return own.includes("coding") || own.length === 0 ? ["coding"] : own;
}

/** The file with the imported pack and contributors of these agents, or without any. The rest stays as it is written. */
export function withImported(
  text: string,
  agents: readonly string[],
  imported: { readonly hasRules: boolean; readonly contributors: readonly ImportedContributor[] },
): string {
  const document = parseDocument(text);
  for (const agent of agents) {
    const at = ["agents", agent];
    if (!isMap(document.getIn(at))) document.setIn(at, document.createNode({}));
    setRules(document, [...at, "rules"], imported.hasRules);
    setContributors(document, [...at, "promptContributors"], imported.contributors);
  }
  return document.toString({ lineWidth: 0 });
}

function setRules(document: Document, at: readonly string[], wanted: boolean): void {
  const rules = document.getIn(at);
  const isOwn = (item: unknown) => (isScalar(item) ? item.value : isMap(item) ? item.get("pack") : undefined) === PACK;
  const isThere = isSeq(rules) && rules.items.some(isOwn);
  if (wanted && !isThere) document.addIn(isSeq(rules) ? at : at, isSeq(rules) ? document.createNode(PACK) : [PACK]);
  if (!wanted && isSeq(rules)) {
    rules.items = rules.items.filter((item) => !isOwn(item));
    if (rules.items.length === 0) document.deleteIn(at);
  }
}

function setContributors(document: Document, at: readonly string[], wanted: readonly ImportedContributor[]): void {
  const list = document.getIn(at);
  const others = isSeq(list) ? list.items.filter((item) => !(isMap(item) && OWN_ID.test(String(item.get("id"))))) : [];
  const own = wanted.map(({ id, heading, tags, exceptRuntimes }) =>
    document.createNode({
      id,
      heading,
      ...(tags.length === 0 ? {} : { tags }),
      ...(exceptRuntimes.length === 0 ? {} : { exceptRuntimes }),
      content: `${PACK}/${contentFile(id)}`,
    }),
  );
  if (others.length + own.length === 0) {
    if (isSeq(list)) document.deleteIn(at);
  } else if (isSeq(list)) list.items = [...others, ...own];
  else document.setIn(at, own);
}

/** The name of the file with a contributor's text. */
export function contentFile(id: string): string {
  return `${id.replace(OWN_ID, "").replace(/[^\p{L}\p{N}.-]+/gu, "-")}.md`;
}
