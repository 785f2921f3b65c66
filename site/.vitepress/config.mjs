import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const DOCS = join(import.meta.dirname, "../pages");

const page = (text, link) => ({ text, link });

/** Every decision record, by its number. */
const decisions = readdirSync(join(DOCS, "decisions"))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort()
  .map((name) => page(name.slice(0, -3).replaceAll("-", " "), `/decisions/${name.slice(0, -3)}`));

export default {
  title: "Conduct",
  description: "The behavior control plane for LLM agents.",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: ".cache",
  cleanUrls: true,
  lastUpdated: false,
  rewrites: { "getting-started.md": "index.md" },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      { text: "Get started", items: [page("Five minutes", "/"), page("Which runtime can do what", "/coverage")] },
      {
        text: "Guides",
        items: [
          page("Write rules", "/rules"),
          page("Compose the prompt", "/prompt"),
          page("Direct agents: the contract", "/contract"),
          page("Require work before a stop", "/requirements"),
          page("Connect a runtime", "/adapters"),
          page("Serve agents: the gateway", "/gateway"),
          page("Try rules on the past", "/replay"),
          page("Learn from sessions", "/learning"),
          page("Switch modes in a chat", "/modes"),
          page("User instructions and memory", "/instructions"),
          page("Label sessions", "/classification"),
          page("Send telemetry", "/telemetry"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Configuration", "/configuration"),
          ...[
            ["CLI", "reference/cli"],
            ["HTTP API", "reference/http-api"],
            ["TypeScript API", "api/README"],
          ].flatMap(([text, path]) => (existsSync(join(DOCS, `${path}.md`)) ? [page(text, `/${path}`)] : [])),
          page("Behaviours by rule id", "/behaviours"),
          page("Benchmarks", "/benchmarks"),
        ],
      },
      {
        text: "Concepts",
        items: [
          page("Architecture", "/architecture"),
          page("The journal", "/journal"),
          page("Stored data", "/data"),
          { text: "Decisions", collapsed: true, items: decisions },
        ],
      },
      { text: "Security", items: [page("What it stops, and what not", "/security")] },
    ],
  },
  markdown: {
    config(md) {
      // Templates such as {{args.path}} are text here.
      const inline = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet("v-pre", "");
        return inline(tokens, index, ...rest);
      };
      // Links to files outside docs/ work in a checkout only: the site shows their text.
      md.core.ruler.push("local-links", (state) => {
        for (const block of state.tokens) {
          let hidden = 0;
          for (const token of block.children ?? []) {
            const outside =
              token.type === "link_open" && isOutside(token.attrGet("href") ?? "", state.env.relativePath);
            if (outside) hidden += 1;
            if (outside || (token.type === "link_close" && hidden > 0)) {
              if (token.type === "link_close") hidden -= 1;
              token.tag = "span";
              token.attrs = null;
            }
          }
        }
      });
    },
  },
};

/** Whether a relative link leaves docs/. */
function isOutside(href, from) {
  if (/^[a-z]+:|^[#/]/.test(href)) return false;
  const depth = from.split("/").length - 1;
  const up = href.split("/").filter((part) => part === "..").length;
  return up > depth;
}
