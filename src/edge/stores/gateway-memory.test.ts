import { memoryConversations } from "./conversations-memory.ts";
import { conversationsSuite } from "./conversations-suite.ts";
import { memoryReplies } from "./replies-memory.ts";
import { repliesSuite } from "./replies-suite.ts";
import { memorySchedules } from "./schedules-memory.ts";
import { schedulesSuite } from "./schedules-suite.ts";
import { memoryUsers } from "./users-memory.ts";
import { usersSuite } from "./users-suite.ts";

usersSuite("memory", async () => memoryUsers());
conversationsSuite("memory", async () => memoryConversations());
schedulesSuite("memory", async () => memorySchedules());
repliesSuite("memory", async () => memoryReplies());
