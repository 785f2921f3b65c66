import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import type { TrustStore } from "../../../../edge/host/trust/trust.ts";
import { readTextFile } from "../../../../edge/host/workspace/read-text-file.ts";
import { resolvePath } from "../../../../edge/host/workspace/resolve-path.ts";

/** A trusted file as it is today. */
export type TrustedState = {
  readonly path: string;
  readonly at: string;
  readonly state: "trusted" | "changed" | "gone";
};

/** Those at or below a folder, and how many there are besides. */
export async function trustedStates(
  store: TrustStore,
  folder: string,
): Promise<{ readonly entries: readonly TrustedState[]; readonly elsewhere: number }> {
  const all = await store.list();
  const real = await resolvePath(folder);
  const below = real.endsWith("/") ? real : `${real}/`;
  const here = all.filter(({ path }) => path === real || path.startsWith(below));
  const entries: TrustedState[] = [];
  for (const { path, at, sha256: trusted } of here) {
    const read = await readTextFile(path, path, "TEXT");
    const state = "error" in read ? "gone" : sha256(read.text) === trusted ? "trusted" : "changed";
    entries.push({ path, at, state });
  }
  return { entries, elsewhere: all.length - here.length };
}
