import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

type Node = { readonly type: string; readonly [key: string]: unknown };

/** Props and keys whose text is visible or read aloud. */
const VISIBLE = new Set(
  "label title placeholder aria-label aria-description alt name hint lead empty all does group word what more detail fix message meaning note said info text say description unit kept".split(
    " ",
  ),
);
/** Props whose text is not visible. */
const HIDDEN = new Set(
  "className class id key type role look tone href path pattern kind how of keys data-row".split(" "),
);
/** A phrase: two words, or a sentence that begins with a capital letter. */
const PHRASE = /[A-Za-z’'…,:;.)] [(“"A-Za-z{]|^[A-Z][a-z]+[.!?…]?$/;

/** An area whose visible texts a reviewer reads in one go. */
type Area = { readonly golden: string; readonly from: readonly string[] };

/** The console, the terminal, the gateway's API and channels, and everything that agents or adapters' users read. */
export const AREAS: { readonly [area: string]: Area } = {
  console: { golden: "console/strings.golden.txt", from: ["console/src"] },
  cli: { golden: "src/apps/cli/strings.golden.txt", from: ["src/apps/cli", "src/apps/install", "src/apps/shared"] },
  gateway: { golden: "src/apps/gateway/strings.golden.txt", from: ["src/apps/gateway", "src/apps/learning"] },
  agent: { golden: "src/behavior/strings.golden.txt", from: ["src/behavior", "src/engine"] },
  edge: { golden: "src/edge/strings.golden.txt", from: ["src/edge", "src/apps/daemon"] },
};

/** Returns the visible texts of an area as one text, with a heading for each folder and file. */
export function stringsText(root: string, { from }: Area): string {
  const files = from.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })).filter(isProduction);
  const folders = Map.groupBy(files.sort(), (file) => dirname(file));
  const parts = [...folders].map(([folder, names]) => {
    const lines = names.flatMap((name) => {
      const texts = textsOf(root, name);
      return texts.length === 0 ? [] : [`  ${basename(name)}`, ...texts.map((text) => `    ${oneLine(text)}`)];
    });
    return lines.length === 0 ? "" : `${folder}\n${lines.join("\n")}\n`;
  });
  return parts.filter((part) => part !== "").join("\n");
}

function textsOf(root: string, file: string): readonly string[] {
  const { program } = parseSync(file, readFileSync(join(root, file), "utf8"));
  const texts = new Set<string>();
  collect(program as unknown as Node, false, (text) => texts.add(text));
  return [...texts];
}

function isProduction(file: string): boolean {
  return !file.endsWith("/built-in-programs.ts") && !/\.test\.|\/test\/|\/recorded\/|suite\.ts$/.test(file);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ⏎ ");
}

/** Parts of the tree that contain no visible text. */
const SKIPPED = new Set(["TSTypeAliasDeclaration", "TSTypeAnnotation", "TSTypeParameterInstantiation"]);
/** Arguments are visible only if they are phrases. */
const CALLS = new Set(["CallExpression", "NewExpression", "MemberExpression"]);

/** `isVisible`: every text in this part of the tree is visible, not only phrases. */
function collect(node: Node, isVisible: boolean, tell: (text: string) => void): void {
  const each = (value: unknown, visible = isVisible): void => {
    if (Array.isArray(value)) for (const one of value) each(one, visible);
    else if (isNode(value)) collect(value, visible, tell);
  };
  if (SKIPPED.has(node.type)) return;
  if (/^(?:Import|Export(?:Named|All))Declaration$/.test(node.type)) each(node.declaration);
  else if (node.type === "BinaryExpression" && /^[!=]==?$|^in$/.test(String(node.operator))) return;
  else if (node.type === "SwitchCase") each(node.consequent);
  else if (node.type === "ConditionalExpression") {
    each(node.test, false);
    each([node.consequent, node.alternate]);
  } else if (node.type === "LogicalExpression") {
    each(node.left, false);
    each(node.right);
  } else if (node.type === "JSXElement" || node.type === "JSXFragment") {
    tellChildren(node.children as readonly Node[], tell);
    each(node.openingElement);
    each(node.children, true);
  } else if (node.type === "JSXAttribute" || node.type === "Property") {
    const name = nameOf((node.name ?? node.key) as Node);
    if (!HIDDEN.has(name)) each(node.value, VISIBLE.has(name));
  } else if (node.type === "Literal") {
    if (typeof node.value === "string") tellText(node.value, isVisible, tell);
  } else if (node.type === "TemplateLiteral") {
    tellText(templateText(node), isVisible, tell);
    each(node.expressions);
  } else for (const value of Object.values(node)) each(value, CALLS.has(node.type) ? false : isVisible);
}

/** Reports the text between an element's tags, with child elements as `<Name>` and expressions as `{…}`. */
function tellChildren(children: readonly Node[], tell: (text: string) => void): void {
  if (!children.some((child) => child.type === "JSXText" && String(child.value).trim() !== "")) return;
  const parts = children.map((child) => {
    if (child.type === "JSXText") return String(child.value).replaceAll(/\s*\n\s*/g, " ");
    if (child.type === "JSXElement") return `<${nameOf((child.openingElement as Node).name as Node)}>`;
    const expression = child.expression as Node | undefined;
    return expression?.type === "Literal" ? String(expression.value) : "{…}";
  });
  tell(parts.join("").trim());
}

function tellText(text: string, isVisible: boolean, tell: (text: string) => void): void {
  const clean = text.trim();
  if (!/[A-Za-z]{2}/.test(clean) || /^(?:[A-Z]+ )?\/|^[a-z]+:\/\/|^[.#[]/.test(clean)) return;
  if (isVisible || PHRASE.test(clean)) tell(clean);
}

function templateText({ quasis }: Node): string {
  return (quasis as readonly { readonly value: { readonly cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join("{…}");
}

function nameOf(node: Node): string {
  return String(node.name ?? node.value ?? "");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
