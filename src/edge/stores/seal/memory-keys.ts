import { randomBytes } from "node:crypto";
import { sealWith, subkey } from "./seal.ts";
import type { StoreKeys } from "./store-keys.ts";

/** Keys that end with this process. */
export function memoryKeys(key: Uint8Array = randomBytes(32)): StoreKeys {
  const seal = sealWith(key);
  return {
    seal: async () => seal,
    journal: async () => subkey(key, "journal"),
    status: async () => ({ key: { kind: "memory" }, state: "clean" }),
  };
}
