import type { SessionTopic } from "../../base/words/classification.ts";
import { CODE_FILES, CONFIG_FILES, extensionOf, type Reading } from "./classify-reading.ts";
import { GREETING_WORDS, TOPIC_WORDS } from "./classify-topic-words.ts";
import { score } from "./classify-vocabulary.ts";

/** Below it nothing was said that we understand. */
const ENOUGH = 2;
const SMALL_TALK_WORDS = 8;

/** Of equal scores the earlier one wins: what is broken is looked at before it is extended. */
const ORDER: readonly SessionTopic[] = [
  "debugging",
  "ops",
  "config",
  "creative",
  "other",
  "coding",
  "research",
  "conversation",
];

const ARITHMETIC = /\d ?% of \d|\d ?[-+*/×÷^] ?\d{1,12} ?(?:=|\?|$)|\bsqrt\(/m;
const OPS_COMMAND =
  /^\s{0,4}(?:\$ )?(?:kubectl|helm|docker|docker-compose|systemctl|journalctl|ssh|scp|terraform|ansible|aws|gcloud|df|top|ps)\s/m;

/** The topic that most speaks for. What is not understood is small talk when it is short, else `other`. */
export function classifyTopic(reading: Reading): SessionTopic {
  const scores = score(reading.words, TOPIC_WORDS);
  const add = (topic: SessionTopic, weight: number): void => {
    scores.set(topic, (scores.get(topic) ?? 0) + weight);
  };
  const short = reading.words.length <= SMALL_TALK_WORDS;
  if (score(reading.words, GREETING_WORDS).size > 0) add("conversation", short ? 3 : 0.5);
  if (reading.hasTrace) add("debugging", 7);
  if (reading.hasError) add("debugging", 5);
  if (reading.hasCode) add("coding", 2.5);
  if (OPS_COMMAND.test(reading.prose)) add("ops", 4);
  if (ARITHMETIC.test(reading.prose)) add("other", 5);
  const extensions = reading.files.map(extensionOf);
  if (extensions.some((extension) => CODE_FILES.has(extension))) add("coding", 2);
  if (extensions.some((extension) => CONFIG_FILES.has(extension))) add("config", 2.5);
  weighQuestion(reading.words, add);
  return strongest(scores) ?? (short ? "conversation" : "other");
}

/** "Why does my loop skip …" is about something that is there; "why is the sky …" is not. */
function weighQuestion(words: readonly string[], add: (topic: SessionTopic, weight: number) => void): void {
  const [first = ""] = words;
  const own = words.slice(0, 12).some((word) => OWN.has(word));
  if (words.includes("why")) add(own ? "debugging" : "research", 2.5);
  if (!own && QUESTION.has(first)) add("research", 2);
  // Said of what the speaker has and of how it behaves, and nothing asked: a symptom, or a wish.
  if (own && IMPERATIVE.has(first)) add("coding", 0.5);
}

const OWN = new Set(["my", "our", "this", "it", "i", "we"]);
const QUESTION = new Set(["what", "who", "when", "where", "which", "how", "whose", "is", "are", "does", "did"]);
const IMPERATIVE = new Set(
  "make let add replace split use show hide allow support remove move merge extract fix".split(" "),
);

function strongest(scores: ReadonlyMap<SessionTopic, number>): SessionTopic | undefined {
  let best: SessionTopic | undefined;
  let most = ENOUGH;
  for (const topic of ORDER) {
    const weight = scores.get(topic) ?? 0;
    if (best === undefined ? weight >= most : weight > most) {
      best = topic;
      most = weight;
    }
  }
  return best;
}
