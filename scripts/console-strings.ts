import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

type Node = { readonly type: string; readonly [key: string]: unknown };

/** Props and keys whose text a person reads or hears. */
const VISIBLE = new Set(
  "label title placeholder aria-label aria-description alt name hint lead empty all does group word what more detail fix message meaning note said info text say description unit kept".split(
    " ",
  ),
);
/** Props whose text nobody sees. */
const HIDDEN = new Set(
  "className class id key type role look tone href path pattern kind how of keys data-row".split(" "),
);
/** A phrase: two words, or a sentence that begins with a capital letter. */
const PHRASE = /[A-Za-z’'…,:;.)] [(“"A-Za-z{]|^[A-Z][a-z]+[.!?…]?$/;

/** Every text of the console that a person can see, by file. */
export function consoleStrings(root: string): ReadonlyMap<string, readonly string[]> {
  const files = globSync("console/src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.includes(".test."));
  const found = files.sort().map((file): readonly [string, readonly string[]] => {
    const { program } = parseSync(file, readFileSync(join(root, file), "utf8"));
    const texts = new Set<string>();
    collect(program as unknown as Node, false, (text) => texts.add(text));
    return [file.replace("console/src/", ""), [...texts]];
  });
  return new Map(found.filter(([, texts]) => texts.length > 0));
}

/** All of them in one text, a heading for each screen or part. */
export function stringsText(root: string): string {
  const screens = Map.groupBy(consoleStrings(root), ([file]) => file.split("/").slice(0, -1).join("/") || "main");
  const parts = [...screens].map(([screen, files]) => {
    const lines = files.flatMap(([file, texts]) => [
      `  ${file.split("/").at(-1)}`,
      ...texts.map((text) => `    ${text}`),
    ]);
    return `${screen}\n${lines.join("\n")}\n`;
  });
  return parts.join("\n");
}

/** `isVisible`: every text in this part of the tree is seen, not only phrases. */
function collect(node: Node, isVisible: boolean, tell: (text: string) => void): void {
  const each = (value: unknown, visible = isVisible): void => {
    if (Array.isArray(value)) for (const one of value) each(one, visible);
    else if (isNode(value)) collect(value, visible, tell);
  };
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return each(node.declaration);
    case "TSTypeAliasDeclaration":
    case "TSTypeAnnotation":
    case "TSTypeParameterInstantiation":
    case "ThrowStatement":
      return;
    case "BinaryExpression":
      return /^[!=]==?$|^in$/.test(String(node.operator)) ? undefined : (each(node.left), each(node.right));
    case "SwitchCase":
      return each(node.consequent);
    case "ConditionalExpression":
      return (each(node.test, false), each(node.consequent), each(node.alternate));
    case "LogicalExpression":
      return (each(node.left, false), each(node.right));
    case "CallExpression":
    case "NewExpression":
    case "MemberExpression":
      return Object.values(node).forEach((value) => {
        each(value, false);
      });
    case "JSXElement":
    case "JSXFragment":
      tellChildren(node.children as readonly Node[], tell);
      each(node.openingElement);
      return each(node.children, true);
    case "JSXAttribute":
    case "Property": {
      const name = nameOf((node.name ?? node.key) as Node);
      return HIDDEN.has(name) ? undefined : each(node.value, VISIBLE.has(name));
    }
    case "Literal":
      return typeof node.value === "string" ? tellText(node.value, isVisible, tell) : undefined;
    case "TemplateLiteral":
      tellText(templateText(node), isVisible, tell);
      return each(node.expressions, isVisible);
    default:
      for (const value of Object.values(node)) each(value, node.type.startsWith("JSX") ? isVisible : isVisible);
  }
}

/** The text between the tags of an element, elements in it as `<Name>` and expressions as `{…}`. */
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
