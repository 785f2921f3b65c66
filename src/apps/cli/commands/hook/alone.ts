import { parseKeepingDigits } from "../../../../base/kernel/json.ts";
import { openRequests } from "../../../daemon/requests.ts";

/**
 * Answers one hook without a daemon: reads the session's state from the store and writes it back. Rejects when another
 * process decides for that session, because neither would know what the other allowed.
 */
export async function answerAlone(home: string, request: unknown): Promise<unknown> {
  const requests = await openRequests(home);
  try {
    // The hook's bundle has its own copy of the parser: only the text has every digit.
    return await requests.handle(parseKeepingDigits(JSON.stringify(request)));
  } finally {
    await requests.close();
  }
}
