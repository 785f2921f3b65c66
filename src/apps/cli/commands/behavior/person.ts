import { userInfo } from "node:os";

/** The account that is at the terminal: on an embedded store that is the operator. */
export function personHere(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // An account without a name, as in some containers.
    return "cli";
  }
}

/** More than any directive may have. */
const MOST = 64 * 1024;

/** What is piped in, up to a bound; `undefined` at a terminal. */
export async function readPiped(input: NodeJS.ReadStream): Promise<string | undefined> {
  if (input.isTTY === true) return undefined;
  let text = "";
  input.setEncoding("utf8");
  for await (const piece of input) {
    text += String(piece);
    if (text.length > MOST) break;
  }
  return text;
}
