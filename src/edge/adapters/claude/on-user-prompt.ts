import type { PromptRequest } from "../../../engine/moments/session-options.ts";
import type { Announcements, Waiting } from "./announcements.ts";
import type { HookAnswer, UserPromptSubmit } from "./native.ts";
import type { Scopes } from "./scopes.ts";
import type { Shown } from "./shown.ts";
import type { Thinking } from "./thinking.ts";
import { isMessage, withContext } from "./translate.ts";
import { announceText, NOBODY } from "./user-message.ts";
