import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import { type Attributes, MAX_VALUE } from "./otlp.ts";

/** The attributes as they leave this machine. */
export type Tell = (attributes: Attributes, content?: () => Attributes) => Attributes;

/** Names and ids are short; what is longer was made by somebody who should not fill a collector with it. */
const MAX_NAME = 256;
/** What is searched for secrets: more than is told, because a mark may be shorter than what it stands for. */
const SEARCHED = 2 * MAX_VALUE;

/** The one place that decides whether what people, models and tools wrote is told; secrets in it never are. */
export function tellWith(content: "told" | "kept"): Tell {
  return (attributes, written) => ({
    ...mapTexts(attributes, (text) => cutGraphemes(text, MAX_NAME)),
    ...(content === "told" && written !== undefined
      ? mapTexts(written(), (text) => cutGraphemes(redactSecrets(text.slice(0, SEARCHED)), MAX_VALUE))
      : {}),
  });
}

function mapTexts(attributes: Attributes, change: (text: string) => string): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (typeof value === "string") return [name, change(value)];
      return [name, typeof value === "object" ? value.map(change) : value];
    }),
  );
}
