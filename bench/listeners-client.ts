import { connect } from "node:net";

// Run by listeners.ts as `node listeners-client.ts URL PATH read|stuck COUNT TOKEN…`: opens COUNT streams in its own
// process, so that reading them takes no time from the measurement. Prints `ready` when all are open, and exits with
// its parent.

const [url = "", path = "", how = "", count = "0", ...tokens] = process.argv.slice(2);
const { host, hostname, port } = new URL(url);
let open = 0;
for (let at = 0; at < Number(count); at++) {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.once("data", () => {
    open += 1;
    if (open === Number(count)) process.send?.("ready");
    if (how === "stuck") socket.pause();
    else socket.resume();
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens[at % tokens.length]}\r\n\r\n`);
}
process.on("disconnect", () => process.exit());
