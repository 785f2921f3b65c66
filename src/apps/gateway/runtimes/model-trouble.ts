import { cutGraphemes } from "../../../base/kernel/text.ts";

/** What can be wrong with a model's server, by what its client says; the first that fits. */
const TROUBLES: readonly { readonly says: RegExp; readonly means: string }[] = [
  { says: /^40[13]\b|unauthori[sz]ed|invalid.{0,9}(?:api.?)?key/i, means: "the model's provider refuses the key" },
  { says: /insufficient_quota|billing|credit balance/i, means: "the account at the model's provider is used up" },
  { says: /^404\b/, means: "the model's provider does not know this model" },
  { says: /^413\b|prompt is too long|context.?length/i, means: "the conversation is too long for the model" },
  { says: /retry delay/i, means: "the model's provider asks for a long wait" },
  { says: /^429\b|rate.?limit|too many requests/i, means: "the model's provider says there are too many requests" },
  { says: /^529\b|overloaded/i, means: "the model's provider is overloaded" },
  { says: /^5\d\d\b/, means: "the model's provider has an error of its own" },
  { says: /parse|JSON|unexpected token|malformed/i, means: "the model's provider sent what cannot be read" },
  {
    says: /ended (?:before|without)|terminated|socket|premature|other side closed|connection.{0,20} lost/i,
    means: "the model's provider broke off in the middle of the answer",
  },
  {
    says: /connection|fetch failed|ECONN|ENOTFOUND|EAI_AGAIN|timed? ?out/i,
    means: "the model's provider cannot be reached",
  },
];

/** One sentence for the person: what is wrong, and the client's own words in short. */
export function modelTrouble(said: string): string {
  const text = cutGraphemes(said.trim().replaceAll(/\s+/g, " "), 160);
  const known = TROUBLES.find(({ says }) => says.test(said));
  if (known === undefined) return text === "" ? "the model's request failed" : `the model's request failed: ${text}`;
  return `${known.means} (${text})`;
}
