import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders of one OpenClaw of its own: its state and home, and a folder for each run. */
export type ClawPlace = {
  readonly root: string;
  readonly state: string;
  readonly user: string;
  /** Two folders that no run has had yet. */
  newRun(): { readonly name: string; readonly workspace: string; readonly home: string };
  remove(): void;
};

export function newPlace(): ClawPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-oc-")));
  const [state, user] = [join(root, "state"), join(root, "user")];
  for (const folder of [state, user]) mkdirSync(folder);
  let runs = 0;
  return {
    root,
    state,
    user,
    newRun() {
      runs += 1;
      const name = `run${runs}`;
      const [workspace, home] = [join(root, name, "workspace"), join(root, name, "home")];
      for (const folder of [workspace, home]) mkdirSync(folder, { recursive: true });
      return { name, workspace, home };
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  };
}

/** A port that the system had free a moment ago: OpenClaw takes none that is given to it as 0. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
