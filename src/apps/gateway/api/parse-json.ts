import { Problem } from "./route.ts";

/** Deeper than any input of ours; what is deeper would end in a stack that is too small. */
const MOST_DEPTH = 100;

/** A body as JSON; `undefined` for none. Throws a `Problem` that says what is wrong with it. */
export function parseJson(text: string): unknown {
  try {
    return text === "" ? undefined : parsePlain(text);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(400, "BAD_JSON", "The body is not JSON.", {
      fix: "Send JSON, with content-type application/json.",
    });
  }
}

/** JSON without what would be a prototype. */
function parsePlain(text: string): unknown {
  if (depthOf(text) > MOST_DEPTH)
    throw new Problem(400, "BAD_JSON", `The body is nested more than ${MOST_DEPTH} levels deep.`);
  return JSON.parse(text, (name, value: unknown) => {
    if (name === "__proto__") throw new Problem(400, "BAD_JSON", "The body has a key '__proto__'.");
    return value;
  });
}

/** How deep its brackets go, those in texts left out. */
function depthOf(text: string): number {
  let [depth, deepest, inText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inText && char === "\\") at += 1;
    else if (char === '"') inText = !inText;
    else if (!inText && (char === "[" || char === "{")) deepest = Math.max(deepest, ++depth);
    else if (!inText && (char === "]" || char === "}")) depth -= 1;
  }
  return deepest;
}
