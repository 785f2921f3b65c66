import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Replaces the file completely or not at all, even if the machine crashes. Only this account can read it. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
