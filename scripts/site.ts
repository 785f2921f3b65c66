import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runSiteTool, SITE } from "./site-tools.ts";

/**
 * `npm run docs`: builds docs/ as a site of static files in site/dist. Fails if a link between pages leads nowhere.
 * VitePress finds its own packages only above its pages, so the pages are copied.
 */
const pages = join(SITE, "pages");
rmSync(pages, { recursive: true, force: true });
cpSync(join(SITE, "../docs"), pages, { recursive: true });
process.exitCode = runSiteTool("vitepress", ["build", "."]);
