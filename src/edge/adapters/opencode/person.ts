import type { OpencodeClient } from "./native.ts";

/** How long a note stays on the screen. */
const SHOWN_MS = 10_000;

/** Shows the person what is not for the model. Never rejects: nothing depends on it. */
export type Show = (...texts: readonly (string | undefined)[]) => void;

/** As a toast, which the clients of a server show; `opencode run` has no screen, and there it goes to the error output. */
export function showTo(client: OpencodeClient, headless: boolean): Show {
  return (...texts) => {
    for (const message of texts) {
      if (message === undefined || message === "") continue;
      if (headless) process.stderr.write(`${message}\n`);
      const body = { title: "Conduct", message, variant: "info", duration: SHOWN_MS } as const;
      void client.tui.showToast({ body }).catch(() => undefined);
    }
  };
}

/** An error whose text is all that OpenCode has to tell of it. */
export function blocked(text: string): Error {
  const error = new Error(text);
  error.stack = text;
  return error;
}
