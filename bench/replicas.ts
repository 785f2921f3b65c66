import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { missingServices } from "../scripts/cluster/services.ts";
import { type Measured, measureReplicas } from "./replicas/measure.ts";
import { renderFigures, replaceBlock } from "./replicas/render.ts";

/**
 * `npm run bench:replicas [-- --quick] [--most N] [--write]`: turns per second, latency and PostgreSQL writes with 1, 2
 * and 3 gateways on one machine. `--write` puts the figures into docs/guides/many-machines.md.
 */

const PAGE = join(import.meta.dirname, "../docs/guides/many-machines.md");

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      most: { type: "string", default: "3" },
    },
  });
  const missing = missingServices();
  if (missing.length > 0) {
    process.stderr.write(`${missing.join("\n")}\n`);
    return 1;
  }
  const load = loadavg()[0] ?? 0;
  const size = values.quick ? { few: 2, many: 6, seconds: 6 } : { few: 3, many: 30, seconds: 30 };
  const all: Measured[] = [];
  for (let replicas = 1; replicas <= Number(values.most); replicas++) {
    process.stderr.write(`measuring ${replicas} of ${values.most} …\n`);
    all.push(await measureReplicas(replicas, size));
  }
  const block = renderFigures(all, {
    load,
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown CPU"}`,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    }).trim(),
  });
  console.log(block);
  if (values.write) writeFileSync(PAGE, replaceBlock(readFileSync(PAGE, "utf8"), block));
  return 0;
}

process.exitCode = await main();
