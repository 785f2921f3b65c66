import type { BuiltPrompt, BuiltSection } from "../../../base/words/prompt.ts";
import { SEPARATOR } from "../../../behavior/prompt/section-measures.ts";

/**
 * The sections that the model has in a session, so that only changes are sent. The runtime caches the system prompt as
 * one block: it contains the lasting sections, and sections of the turn go with each message.
 */
export class Told {
  #system = new Map<string, BuiltSection>();
  /** Sections sent with messages since then; `undefined` for a withdrawn one. */
  #said = new Map<string, BuiltSection | undefined>();

  /** The system prompt of a new query. A resumed conversation keeps the sections of its messages. */
  begin(prompt: BuiltPrompt, resumed: boolean): string {
    const sections = lasting(prompt);
    this.#system = byContributor(sections);
    if (!resumed) this.#said.clear();
    return textOf(sections);
  }

  /** The conversation was compacted: the sections of its messages are gone, the system prompt stays. */
  forget(): void {
    this.#said.clear();
  }

  /** The text to send with a message: changed lasting sections, and the sections of this turn. */
  say(prompt: BuiltPrompt): string | undefined {
    const now = byContributor(lasting(prompt));
    const known = new Map<string, BuiltSection | undefined>([...this.#system, ...this.#said]);
    const changed = [...now].filter(([id, { hash }]) => known.get(id)?.hash !== hash);
    const gone = [...known].filter(([id, section]) => section !== undefined && !now.has(id));
    for (const [id, section] of changed) this.#said.set(id, section);
    for (const [id] of gone) this.#said.set(id, undefined);
    const ofTurn = prompt.sections.filter(({ zone }) => zone === "turn");
    const parts = [
      ...(changed.length === 0 ? [] : [CHANGED, textOf(changed.map(([, section]) => section))]),
      ...(gone.length === 0 ? [] : [`${GONE} ${gone.map(([, section]) => nameOf(section)).join(", ")}.`]),
      ...(ofTurn.length === 0 ? [] : [OF_TURN, textOf(ofTurn)]),
    ];
    return parts.length === 0 ? undefined : parts.join(SEPARATOR);
  }
}

const CHANGED = "Your instructions have changed. From now on these parts of them read:";
const GONE = "These parts of your instructions no longer hold:";
const OF_TURN = "For this turn:";

function lasting({ sections }: BuiltPrompt): readonly BuiltSection[] {
  return sections.filter(({ zone }) => zone !== "turn");
}

function byContributor(sections: readonly BuiltSection[]): Map<string, BuiltSection> {
  return new Map(sections.map((section) => [section.contributor, section]));
}

function textOf(sections: readonly BuiltSection[]): string {
  return sections.map(({ text }) => text).join(SEPARATOR);
}

/** By its heading, else by its first words. */
function nameOf(section: BuiltSection | undefined): string {
  const { heading, text = "" } = section ?? {};
  return `"${heading ?? text.split("\n", 1)[0]?.slice(0, 80)}"`;
}
