// Runs inside a sandbox: network-bridge.mjs SOCKET PORT COMMAND… Listens on loopback, forwards every connection to the
// gateway's filtering proxy behind SOCKET, and exits with COMMAND.
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

const [socket, port, file, ...args] = process.argv.slice(2);

const server = createServer((client) => {
  const proxy = connect(socket);
  client.pipe(proxy).pipe(client);
  client.on("error", () => proxy.destroy());
  proxy.on("error", () => client.destroy());
});
server.on("error", (error) => {
  console.error(`The sandbox has no network: ${error.message}`);
  process.exit(126);
});
server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(file, args, { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.on("exit", (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
});
