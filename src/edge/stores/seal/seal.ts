import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from "node:crypto";
import { StoreError } from "../sql/store-error.ts";
import type { StoreKeys } from "./store-keys.ts";

/**
 * The columns that are encrypted at rest (messages, answers, tool results, session state), each with the columns that
 * identify its row. Everything else is in clear; journal events are redacted. See docs/concepts/data.md.
 */
export const SEALED_COLUMNS = {
  "conduct_transcripts.entry": ["conversation", "seq"],
  "conduct_turns.body": ["turn"],
  "conduct_kept_sessions.snapshot": ["session"],
  "conduct_kept_sessions.beside": ["session"],
  "conduct_kept_changes.change": ["session", "version"],
  "conduct_instructions.items": ["owner", "version"],
  "conduct_notes.text": ["owner", "text_hash"],
  "conduct_questions.body": ["approval"],
  "conduct_deliveries.body": ["delivery"],
  "conduct_whole_results.body": ["session", "handle"],
  "conduct_mail.body": ["mail"],
  "conduct_schedules.body": ["schedule"],
  "conduct_schedule_runs.body": ["run"],
  "conduct_replies.body": ["reply"],
  "conduct_sections.text": ["section"],
} as const;

export type SealedColumn = keyof typeof SEALED_COLUMNS;

/** The place of a sealed value: a column or a results file. It opens nowhere else. */
type SealedPlace = SealedColumn | "results.file";

const CIPHER = "aes-256-gcm";
const [NONCE, TAG] = [12, 16];
/** Marks sealed text. Neither JSON nor any unsealed text of ours begins like this. */
const TEXT_MARK = "sealed:1:";
const BYTES_MARK = Buffer.from("\0sealed:1\0", "latin1");

/** The columns that identify a row, in the order that `SEALED_COLUMNS` gives. */
export type SealedRow = readonly (string | number)[];

/**
 * Encrypts content before it reaches a store, and decrypts it after. A value opens only in the row and column it was
 * sealed for.
 */
export type Seal = {
  /** Empty text stays empty. */
  close(place: SealedPlace, row: SealedRow, text: string): string;
  /** Text from before sealing is returned as it is. Throws a `StoreError` if the value was changed or moved. */
  open(place: SealedPlace, row: SealedRow, stored: string): string;
  closeBytes(place: SealedPlace, row: SealedRow, data: Uint8Array): Uint8Array;
  openBytes(place: SealedPlace, row: SealedRow, stored: Uint8Array): Uint8Array;
  /** A keyed hash, to find equal texts by: nobody without the key can test a guess. 64 hex digits. */
  hash(purpose: HashPurpose, text: string): string;
};

type HashPurpose = "note" | "word" | "request";

/** Random bytes for many nonces at a time: asking for each of them takes as long as encrypting. */
let nonces = Buffer.alloc(0);

function nextNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(NONCE * 256);
  const nonce = nonces.subarray(0, NONCE);
  nonces = nonces.subarray(NONCE);
  return nonce;
}

export function sealWith(dataKey: Uint8Array): Seal {
  // A key object: node:crypto would import a buffer again for every value.
  const content = createSecretKey(subkey(dataKey, "content"));
  const hashes = { note: subkey(dataKey, "note"), word: subkey(dataKey, "word"), request: subkey(dataKey, "request") };

  function encrypt(place: SealedPlace, row: SealedRow, data: Uint8Array): Buffer {
    const nonce = nextNonce();
    const cipher = createCipheriv(CIPHER, content, nonce).setAAD(addressOf(place, row));
    return Buffer.concat([nonce, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
  }

  function decrypt(place: SealedPlace, row: SealedRow, sealed: Uint8Array): Buffer {
    try {
      const decipher = createDecipheriv(CIPHER, content, sealed.subarray(0, NONCE));
      decipher.setAAD(addressOf(place, row)).setAuthTag(sealed.subarray(-TAG));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()]);
    } catch (error) {
      const what = `${place} of ${row.join(", ")} is damaged: it was changed, or moved here from another row`;
      throw new StoreError("STORE_DAMAGED", what, "Restore the store from a backup.", error);
    }
  }

  return {
    close: (place, row, text) =>
      text === "" ? "" : TEXT_MARK + encrypt(place, row, Buffer.from(text, "utf8")).toString("base64"),
    open: (place, row, stored) =>
      isSealed(stored)
        ? decrypt(place, row, Buffer.from(stored.slice(TEXT_MARK.length), "base64")).toString("utf8")
        : stored,
    closeBytes: (place, row, data) => Buffer.concat([BYTES_MARK, encrypt(place, row, data)]),
    openBytes: (place, row, stored) =>
      areSealed(stored) ? decrypt(place, row, stored.subarray(BYTES_MARK.length)) : stored,
    hash: (purpose, text) => createHmac("sha256", hashes[purpose]).update(text).digest("hex"),
  };
}

export function isSealed(stored: string): boolean {
  return stored.startsWith(TEXT_MARK);
}

export function areSealed(stored: Uint8Array): boolean {
  return BYTES_MARK.equals(stored.subarray(0, BYTES_MARK.length));
}

/** A separate key for each use, so that no use can reveal another's. */
export function subkey(dataKey: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", dataKey, "", `conduct ${use}`, 32));
}

/** Authenticated with every value. JSON, because a name may contain any separator. */
function addressOf(place: SealedPlace, row: SealedRow): Buffer {
  return Buffer.from(JSON.stringify([place, ...row]), "utf8");
}

/** Keys that end with this process. */
export function memoryKeys(key: Uint8Array = randomBytes(32)): StoreKeys {
  const seal = sealWith(key);
  return {
    seal: async () => seal,
    journal: async () => subkey(key, "journal"),
    status: async () => ({ key: { kind: "memory" }, state: "clean" }),
  };
}
