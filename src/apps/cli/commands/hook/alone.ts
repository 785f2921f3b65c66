import { openRequests } from "../../../daemon/requests.ts";

/**
 * Answers one hook without a daemon: what is known of its session is read from the store, and what was decided is written back.
 * Rejects when another process decides for that session: of two that decide side by side neither would know what the other let pass.
 */
export async function answerAlone(home: string, request: unknown): Promise<unknown> {
  const requests = await openRequests(home);
  try {
    return await requests.handle(request);
  } finally {
    await requests.close();
  }
}
