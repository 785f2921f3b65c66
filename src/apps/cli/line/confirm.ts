import { createInterface } from "node:readline";

/** Asks a person, yes or no; no unless they say yes. `undefined` when nobody is there to answer. */
export async function confirm(question: string): Promise<boolean | undefined> {
  const { stdin: input, stderr: output } = process;
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  const lines = createInterface({ input, output, terminal: false });
  output.write(question);
  try {
    return await new Promise((resolve) => {
      lines.once("close", () => resolve(undefined));
      lines.once("line", (line) => resolve(/^y(es)?$/i.test(line.trim())));
    });
  } finally {
    lines.close();
  }
}
