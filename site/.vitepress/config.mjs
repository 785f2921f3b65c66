import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DOCS = join(import.meta.dirname, "../pages");

const page = (text, link) => ({ text, link });

/** Every decision record, by its number. */
const decisions = readdirSync(join(DOCS, "decisions"))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort()
  .map((name) => {
    const [title = name] = readFileSync(join(DOCS, "decisions", name), "utf8").split("\n");
    return page(title.replace(/^#+ */, ""), `/decisions/${name.slice(0, -3)}`);
  });

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
    nav: [
      page("Get started", "/"),
      page("Guides", "/guides/write-rules"),
      page("Reference", "/reference/configuration"),
      page("Concepts", "/concepts/architecture"),
      page("Security", "/security"),
    ],
    sidebar: [
      {
        text: "Get started",
        items: [
          page("The first five minutes", "/"),
          page("Install, update, remove", "/guides/install"),
          page("What works in which runtime", "/coverage"),
        ],
      },
      {
        text: "Runtimes",
        collapsed: false,
        items: [
          page("Claude Code", "/runtimes/claude-code"),
          page("Codex", "/runtimes/codex"),
          page("Gemini CLI", "/runtimes/gemini"),
          page("Copilot CLI", "/runtimes/copilot"),
          page("Cursor", "/runtimes/cursor"),
          page("OpenCode", "/runtimes/opencode"),
          page("OpenClaw", "/runtimes/openclaw"),
          page("Pi, the coding agent", "/runtimes/pi-extension"),
          page("ACP editors", "/runtimes/acp"),
          page("MCP clients and servers", "/runtimes/mcp"),
          page("Claude Agent SDK", "/runtimes/claude"),
          page("Pi, in your program", "/runtimes/pi"),
        ],
      },
      {
        text: "Guides",
        items: [
          page("Write and test rules", "/guides/write-rules"),
          page("Try rules on past sessions", "/guides/replay"),
          page("Check what scripts start: the exec gate", "/guides/exec-gate"),
          page("Require work before a stop", "/guides/requirements"),
          page("Direct agents: the contract", "/guides/contract"),
          page("Compose the prompt", "/guides/prompt"),
          page("Serve agents: the gateway", "/guides/gateway"),
          page("Switch modes in a chat", "/guides/modes"),
          page("User instructions and memory", "/guides/instructions"),
          page("Migrate from SPEC-010", "/guides/migrate"),
          page("Classify sessions", "/guides/classification"),
          page("Learn from sessions", "/guides/learning"),
          page("Send telemetry", "/guides/telemetry"),
          page("Send reports", "/guides/reports"),
          page("Connect another runtime", "/guides/adapters"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Configuration", "/reference/configuration"),
          page("Rules", "/reference/rules"),
          page("CLI", "/reference/cli"),
          page("HTTP API", "/reference/http-api"),
          page("TypeScript API", "/api/README"),
          page("Versions", "/reference/versions"),
          page("Settings and their tests", "/reference/wiring"),
          page("Behaviours by rule id", "/behaviours"),
          page("Benchmarks", "/benchmarks"),
        ],
      },
      {
        text: "Concepts",
        items: [
          page("Architecture", "/concepts/architecture"),
          page("The journal", "/concepts/journal"),
          page("Stored data", "/concepts/data"),
          { text: "Decisions", collapsed: true, items: [page("All decisions", "/decisions/README"), ...decisions] },
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
