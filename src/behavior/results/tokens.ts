import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { characterCounter, counterOver } from "./token-counter.ts";
export type Encoding = "o200k" | "cl100k";
type Encoder = {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(size: number): void;
};

/** Models older than gpt-4o; all others are counted with o200k. */
const CL100K = /^(?:gpt-3\.5|gpt-35|gpt-4(?![.\do])|text-embedding-(?:3|ada-002))/;

/** The encoding of a model name, with or without a provider (`openai/gpt-4`). */
export function encodingOf(model: string | undefined): Encoding {
  const name = (model ?? "").toLowerCase().split("/").at(-1) ?? "";
  return CL100K.test(name) ? "cl100k" : "o200k";
}

const loaded = new Map<Encoding, Promise<TokenCounter>>();

/** Loads an encoding once, on first use. Never rejects: if that fails it counts characters, and the next call tries again. */
export function loadTokenizer(
  encoding: Encoding = "o200k",
  load: (encoding: Encoding) => Promise<Encoder> = importEncoder,
): Promise<TokenCounter> {
  const known = loaded.get(encoding);
  if (known !== undefined) return known;
  const counter = load(encoding).then(
    (encoder) => {
      encoder.setMergeCacheSize(1000);
      // `<|endoftext|>` in a result is plain text.
      const options = { disallowedSpecial: new Set<string>() };
      return counterOver(encoding, (text) => encoder.countTokens(text, options));
    },
    () => {
      loaded.delete(encoding);
      return characterCounter;
    },
  );
  loaded.set(encoding, counter);
  return counter;
}

function importEncoder(encoding: Encoding): Promise<Encoder> {
  return encoding === "cl100k"
    ? import("gpt-tokenizer/encoding/cl100k_base")
    : import("gpt-tokenizer/encoding/o200k_base");
}
