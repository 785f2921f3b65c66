import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What must not be found at rest: a part of an API key, of a password and of a private key. None is a real one. */
export const NEEDLES = ["Zq7Lm2Xv9Tn4Rb6Wc8Yd", "Tr0ub4dor-and-3-zebras", "MIIEvQIBADANBgkqhkiG9w0NotARealKey"];

const [API_KEY, PASSWORD, PEM_LINE] = NEEDLES;

/** All of them in one text, as people paste them. */
export const SECRET_TEXT = `Use the key sk-ant-${API_KEY}, the login is password=${PASSWORD}, and this:
-----BEGIN PRIVATE KEY-----
${PEM_LINE}
-----END PRIVATE KEY-----`;

/** Every file below the folder that holds one of the texts, byte for byte, with the text. */
export function findInFiles(folder: string, needles: readonly string[] = NEEDLES): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      return needles.filter((needle) => bytes.includes(needle)).map((needle) => `${path}: ${needle}`);
    });
}
