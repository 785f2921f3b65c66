import { assertNever } from "../../base/kernel/assert-never.ts";
import type { SessionTopic } from "../../base/words/classification.ts";
import { formOf, technicality } from "./classify-form.ts";
import { CODE_FILES, CONFIG_FILES, extensionOf, type Reading } from "./classify-reading.ts";
import { GREETING_WORDS, TOPIC_WORDS } from "./classify-topic-words.ts";
import { score } from "./classify-vocabulary.ts";

/** Below it nothing was said that we understand. */
const ENOUGH = 2;
const SMALL_TALK_WORDS = 8;
const FEW_WORDS = 4;

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

/** As machines are named: db-02, web-3. */
const HOST = /\b(?:web|db|app|api|worker|node|srv|server|host|prod|stage|staging|build|cache|lb|vm)-?\d{1,4}\b/;
/** As environment variables are named. */
const VARIABLE = /\b[A-Z]{2,20}(?:_[A-Z0-9]{1,20}){1,5}\b/;

/** The topic that most speaks for. What is not understood is small talk when it is very short, else `other`. */
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
  if (HOST.test(reading.prose)) add("ops", 2);
  if (VARIABLE.test(reading.prose)) add("config", 2);
  if (ARITHMETIC.test(reading.prose)) add("other", 5);
  const extensions = reading.files.map(extensionOf);
  if (extensions.some((extension) => CODE_FILES.has(extension))) add("coding", 2);
  if (extensions.some((extension) => CONFIG_FILES.has(extension))) add("config", 2.5);
  weighForm(reading, add);
  return strongest(scores) ?? (reading.words.length <= FEW_WORDS ? "conversation" : "other");
}

/** What the form adds: technical requests are work, technical complaints are faults, and so on. */
function weighForm(reading: Reading, add: (topic: SessionTopic, weight: number) => void): void {
  const form = formOf(reading);
  const technical = technicality(reading) >= 2;
  const own = reading.words.slice(0, 12).some((word) => OWN.has(word));
  const why = reading.words.includes("why");
  switch (form) {
    case "foreign":
      return;
    case "question":
      if (technical) add(why ? "debugging" : "research", why ? 3 : 1);
      else if (own) add("conversation", 1.5);
      else add("research", 2.5);
      return;
    case "request":
      if (technical) add("coding", 2.5);
      else add("other", 1.5);
      return;
    case "statement":
      if (technical) add("debugging", 3.5);
      else if (own) add("conversation", 2.5);
      return;
    default:
      assertNever(form);
  }
}

const OWN = new Set(["my", "i", "i'm", "i've", "you", "me", "everyone", "nobody"]);

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
