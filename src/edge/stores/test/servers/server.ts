import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Ends a test's server and removes its folder when our process is gone, however it went: then the pipe between the two is
 * closed. Returns what calls it off.
 */
export function guardServer(pid: number | undefined, folder: string, signal: "QUIT" | "KILL"): () => void {
  // One that is asked to go needs a moment before its files can.
  const steps = `cat > /dev/null; kill -${signal} "$0"; ${signal === "QUIT" ? "sleep 1; " : ""}rm -rf "$1"`;
  const watcher = spawn("sh", ["-c", steps, String(pid), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.stdin.on("error", () => undefined);
  return () => {
    watcher.kill("SIGKILL");
    watcher.stdin.end();
  };
}

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
