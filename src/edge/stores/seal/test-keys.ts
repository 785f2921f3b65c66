import { randomBytes } from "node:crypto";
import { sealWith, subkey } from "./seal.ts";
import type { StoreKeys } from "./store-keys.ts";

/** Keys that no store has, for tests. */
export function testKeys(key: Uint8Array = randomBytes(32)): Pick<StoreKeys, "seal" | "journal"> {
  const seal = sealWith(key);
  return { seal: async () => seal, journal: async () => subkey(key, "journal") };
}
