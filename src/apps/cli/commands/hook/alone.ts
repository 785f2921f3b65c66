import { openRequests } from "../../../daemon/requests.ts";

/**
 * Answers one hook without a daemon: reads the session's state from the store and writes it back. Rejects when another
 * process decides for that session, because neither would know what the other allowed.
 */
export async function answerAlone(home: string, request: unknown): Promise<unknown> {
  const requests = await openRequests(home);
  try {
    return await requests.handle(request);
  } finally {
    await requests.close();
  }
}
