import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Inline } from "./parse-inline.ts";
import { type Block, parseMarkdown } from "./parse-markdown.ts";

const inline = (parts: readonly Inline[]): string =>
  parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "code") return `<code>${part.text}</code>`;
      if (part.kind === "link") return `<a ${part.href}>${inline(part.parts)}</a>`;
      return `<${part.kind}>${inline(part.parts)}</${part.kind}>`;
    })
    .join("");

const shown = (block: Block): string => {
  switch (block.kind) {
    case "paragraph":
      return `p:${inline(block.text)}`;
    case "heading":
      return `h${block.level}:${inline(block.text)}`;
    case "code":
      return `code ${block.language}:${block.text}`;
    case "quote":
      return `quote(${block.blocks.map(shown).join(" ")})`;
    case "list":
      return `${block.start ?? "-"}[${block.items.map((item) => item.map(shown).join(" ")).join("; ")}]`;
    case "table":
      return `table ${block.aligns.map((one) => one ?? "none").join(",")} ${[block.head, ...block.rows].map((row) => row.map(inline).join("|")).join("/")}`;
    case "rule":
      return "rule";
  }
};
const read = (text: string) => parseMarkdown(text).map(shown);

describe("Markdown of models", () => {
  it.each<readonly [string, readonly string[]]>([
    ["one\ntwo\n\nthree", ["p:one\ntwo", "p:three"]],
    ["## Done\ntext", ["h2:Done", "p:text"]],
    ["```ts\nconst a = 1;\n\n```\nafter", ["code ts:const a = 1;\n", "p:after"]],
    ["```\nnot closed", ["code :not closed"]],
    ["````\n```\n````", ["code :```"]],
    ["- a\n- b\n  - c\n\n  more b\n- d", ["-[p:a; p:b -[p:c] p:more b; p:d]"]],
    ["3. a\n4. b\n\ntext", ["3[p:a; p:b]", "p:text"]],
    ["It was\n2026. A year", ["p:It was\n2026. A year"]],
    ["> a\n> > b\n\nc", ["quote(p:a quote(p:b))", "p:c"]],
    ["| a | b |\n|---|--:|\n| 1 | `x\\|y` |\n| 2 |\n\nend", ["table none,right a|b/1|<code>x|y</code>/2", "p:end"]],
    ["a | b\nno table", ["p:a | b\nno table"]],
    ["---", ["rule"]],
    ["**bold _and_ em** and ~~gone~~", ["p:<strong>bold <em>and</em> em</strong> and <del>gone</del>"]],
    ["snake_case_name, 2 * 3 * 4, **open", ["p:snake_case_name, 2 * 3 * 4, **open"]],
    ["`a **b**` and ``c`d``", ["p:<code>a **b**</code> and <code>c`d</code>"]],
    [
      "[docs](https://a.example/x) https://b.example/y.",
      ["p:<a https://a.example/x>docs</a> <a https://b.example/y>https://b.example/y</a>."],
    ],
    [
      "[x](javascript:alert(1)) [y](data:text/html,z) [z](/local)",
      ["p:[x](javascript:alert(1)) [y](data:text/html,z) [z](/local)"],
    ],
    ["![pixel](https://evil.example/p.png)", ["p:<a https://evil.example/p.png>pixel</a>"]],
    ["<b>no</b> <script>x</script>", ["p:<b>no</b> <script>x</script>"]],
    ["\\*literal\\* 5 > 3", ["p:*literal* 5 > 3"]],
  ])("MD-1 %j is parsed", (text, expected) => expect(read(text)).toEqual(expected));

  it("MD-2 any text is parsed, no link leads anywhere but the web or mail, and an address stays visible", () => {
    const words = fc.array(
      fc.oneof(
        fc.constantFrom(
          "**",
          "_",
          "`",
          "```\n",
          "[a](",
          ")",
          "\n",
          "\n\n",
          "- ",
          "1. ",
          "> ",
          "|",
          "|-|",
          "# ",
          "~~",
          "https://x.y",
          "javascript:",
          "    ",
        ),
        fc.string(),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join("");
        const hrefs: string[] = [];
        const all = JSON.stringify(parseMarkdown(text), (name, value: unknown) => {
          if (name === "href") hrefs.push(String(value));
          return value;
        });
        for (const href of hrefs) expect(href).toMatch(/^(https?:\/\/|mailto:)/i);
        const plain = /x\.y/.exec(text) === null ? undefined : "x.y";
        if (plain !== undefined) expect(all).toContain(plain);
      }),
    );
  });

  it("MD-3 hostile text takes linear time: a hundred thousand open marks are parsed", () => {
    for (const mark of ["*", "_", "`", "[", "**a ", "![", "> ", "- ", "|", "~~", "[](", "*a_b`"]) {
      const text = mark.repeat(100_000 / mark.length);
      expect(parseMarkdown(text).length).toBeGreaterThan(0);
    }
  });
});
