import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { Heard } from "../../../engine/moments/message.ts";
import type { PromptRequest } from "../../../engine/session/session-options.ts";
import type { Announcements, Waiting } from "./announcements.ts";
import type { HookAnswer, UserPromptSubmit } from "./native.ts";
import type { QueryScopes } from "./query-scopes.ts";
import type { Shown } from "./shown.ts";
import type { Thinking } from "./thinking.ts";
import { isMessage, withContext } from "./translate.ts";
import { announceText, NOBODY } from "./user-message.ts";

export type MessageSettings = {
  readonly scopes: QueryScopes;
  readonly shown: Shown;
  readonly thinking: Thinking;
  /** What is known of the tools that the model has. */
  readonly request: PromptRequest;
  /** Every message that the host sends is announced here first. Where nobody does, each prompt is taken for a message. */
  readonly announcements?: Announcements;
  /** The prompt that was made for this message before the query began. */
  readonly prepared?: { readonly heard: Heard; readonly prompt: BuiltPrompt };
};

/** The moments `message` and `prompt`, when the runtime takes a message up. */
export function onUserPrompt(settings: MessageSettings) {
  const { scopes, shown, thinking, request, prepared } = settings;
  return async (event: UserPromptSubmit): Promise<HookAnswer> => {
    if (!isMessage(event)) return {};
    const { session } = scopes;
    // Whatever had no result when its turn was broken off is over.
    scopes.main.open.clear();
    scopes.final = "none";
    const messages = messagesIn(event, settings);
    const heard: Heard[] = [];
    for (const one of messages) heard.push(one.heard ?? (await session.onMessage(one.message)));
    const said = heard.flatMap(({ notes, reply }) => [...notes, ...(reply === undefined ? [] : [reply])]);
    if (heard.every(({ reply }) => reply !== undefined) && messages.every(({ attached }) => !attached)) {
      return shown.reply(said);
    }
    await thinking.set(session.modes);
    const isPrepared = prepared !== undefined && prepared.heard === heard.at(-1);
    const prompt = isPrepared ? prepared.prompt : await session.onPrompt(request);
    const context = [...unsent(event, heard, settings), scopes.told.say(prompt)].filter((text) => text !== undefined);
    return shown.beside(withContext("UserPromptSubmit", context.join("\n\n")), [said.join("\n"), scopes.takeDebug()]);
  };
}

function messagesIn({ prompt }: UserPromptSubmit, { announcements }: MessageSettings): readonly Waiting[] {
  if (announcements === undefined) return [announceText(prompt)];
  const sent = announcements.take(prompt);
  // The agent itself can make the runtime submit a prompt later; that is no person's word.
  return sent.length > 0 ? sent : [announceText(prompt, { sender: NOBODY })];
}

/** The runtime cannot rewrite a message that was sent as it is; so the model is told how it reads. */
function unsent({ prompt }: UserPromptSubmit, heard: readonly Heard[], { announcements }: MessageSettings): string[] {
  const text = heard.at(-1)?.text ?? "";
  if (announcements !== undefined || text === prompt) return [];
  return [`Conduct took commands out of the message above. It now reads:\n${text}`];
}
