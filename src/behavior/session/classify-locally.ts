import type { SessionClassification } from "../../base/words/classification.ts";
import { classifyComplexity } from "./classify-complexity.ts";
import { classifyLabel } from "./classify-label.ts";
import { readConversation } from "./classify-reading.ts";
import { classifyDomain, classifyFlags } from "./classify-tags.ts";
import { classifyTopic } from "./classify-topic.ts";

/**
 * `local/rules`: weighs words, error output, code, files and commands; no model, no cost, the same answer every time. It
 * reads English; of other languages it knows only technical words and says nothing it does not know.
 */
export function classifyLocally(conversation: readonly string[]): SessionClassification {
  const reading = readConversation(conversation);
  const topic = classifyTopic(reading);
  return {
    label: classifyLabel(conversation, topic),
    topic,
    complexity: classifyComplexity(reading, topic),
    domain: classifyDomain(reading),
    flags: classifyFlags(reading),
  };
}
