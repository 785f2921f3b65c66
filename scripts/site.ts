import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runSiteTool, SITE } from "./site-tools.ts";

/**
 * `npm run docs`: builds docs/ as a site of static files in site/dist. Fails if a link between pages leads nowhere.
 * VitePress finds its own packages only above its pages, so the pages are copied. It has no footnotes, so they become
 * links.
 */
const ADAPTERS = join(SITE, "../src/edge/adapters");
const pages = join(SITE, "pages");
rmSync(pages, { recursive: true, force: true });
cpSync(join(SITE, "../docs"), pages, { recursive: true });
// The pages of the runtimes are the READMEs of their adapters.
for (const readme of globSync("*/README.md", { cwd: ADAPTERS }))
  cpSync(join(ADAPTERS, readme), join(pages, "runtimes", `${dirname(readme)}.md`));
for (const name of globSync("**/*.md", { cwd: pages })) {
  const file = join(pages, name);
  const text = readFileSync(file, "utf8");
  if (!text.includes("[^1]")) continue;
  const noted = text
    .replaceAll(/^\[\^(\d+)\]: (.*)$/gm, '<sup id="note-$1">$1</sup> $2<br>')
    .replaceAll(/\[\^(\d+)\]/g, '<sup><a href="#note-$1">$1</a></sup>');
  writeFileSync(file, noted);
}
process.exitCode = runSiteTool("vitepress", ["build", "."]);
