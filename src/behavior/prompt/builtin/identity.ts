import type { Agent, AgentIdentity } from "../../../base/words/agent.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { fixedSection } from "./fixed-section.ts";
import { inline } from "./inline.ts";

/** Who the agent is. Left out when the definition says nothing of it; what a given identity lacks is filled in. */
export function identitySection({ identity }: Agent): PromptContributor {
  return fixedSection("builtin:identity", 10, "Identity", identityText(identity));
}

/** Configuration files have null where the type has nothing. */
function identityText(given: { readonly [K in keyof AgentIdentity]: string | null } | undefined): string | undefined {
  const identity = given ?? {};
  if (Object.values(identity).every((value) => value === undefined)) return undefined;
  const name = inline(identity.name ?? "") || "an AI assistant";
  const description = inline(identity.description ?? "") || "a personal assistant";
  const vibe = inline(identity.vibe ?? "");
  const who = endSentence(
    `You are ${name} — ${description.replace(/^(?:An?|The|Your) /, (word) => word.toLowerCase())}`,
  );
  return vibe === "" ? who : `${who}\n${endSentence(vibe.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()))}`;
}

/** With a full stop, unless it has its end already. */
function endSentence(text: string): string {
  const bare = text.replace(/[\s,;:]+$/, "");
  return /[.!?…。！？]["'”’)\]]*$/.test(bare) ? bare : `${bare}.`;
}
