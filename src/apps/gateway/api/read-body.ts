import { Problem } from "./route.ts";

/** As `requestTimeout` of the server, for whatever it does not see. */
const RECEIVE_MS = 30_000;

/** The body as text. Rejects with a `Problem` when it is too large, comes too slowly or breaks off. */
export async function readBody(request: Request, most: number, receiveMs: number = RECEIVE_MS): Promise<string> {
  const tooLarge = () => new Problem(413, "TOO_LARGE", `The body may have ${most} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const timer = setTimeout(() => late.reject(tooSlow()), receiveMs);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(brokenOff), late.promise]);
      if (done) return Buffer.concat(chunks).toString("utf8");
      bytes += value.byteLength;
      if (bytes > most) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(): Problem {
  return new Problem(408, "TOO_SLOW", "The request was not complete in time.", { fix: "Send it again." });
}

/** The client is gone, or the server has closed a request that took too long: nobody hears this answer. */
function brokenOff(): never {
  throw new Problem(400, "INCOMPLETE", "The request ended in the middle.", { fix: "Send it again." });
}
