import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { SPEC010_TABLES, type Spec010Source } from "./spec010-source.ts";

/** Writes all rows to a file named after their hash, readable by this account only. Durable when it resolves. */
export async function keepOriginals(
  source: Spec010Source,
  folder: string,
  onRow: () => void,
): Promise<{ readonly file: string; readonly known: boolean }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `spec010-originals-${process.pid}.tmp`);
  const hash = createHash("sha256");
  const handle = await open(draft, "w", 0o600);
  try {
    for (const table of SPEC010_TABLES) {
      if (!source.tables.has(table)) continue;
      for await (const row of source.rows(table)) {
        const line = `${JSON.stringify({ table, row })}\n`;
        hash.update(line);
        await handle.write(line);
        onRow();
      }
    }
    await handle.sync();
    await handle.close();
    const file = join(folder, `spec010-originals-${hash.digest("hex").slice(0, 16)}.jsonl`);
    const known = existsSync(file);
    if (!known) await rename(draft, file);
    return { file, known };
  } finally {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
}
