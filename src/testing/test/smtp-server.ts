import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

export type ReceivedMail = { readonly from: string; readonly to: readonly string[]; readonly data: string };

/** A mail server on loopback that keeps what it gets. `refuse` answers a command with another code. */
export type SmtpServer = {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  refuse(command: string, answer: string, times?: number): void;
  close(): Promise<void>;
};

export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const refusals: { readonly command: string; readonly answer: string; times: number }[] = [];
  const server = createServer((socket) => {
    let [buffer, from, isData] = ["", "", false];
    let to: string[] = [];
    const say = (line: string) => socket.write(`${line}\r\n`);
    say("220 loopback ESMTP");
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      buffer += chunk.toString("latin1");
      for (;;) {
        const end = isData ? "\r\n.\r\n" : "\r\n";
        const at = buffer.indexOf(end);
        if (at < 0) return;
        const line = buffer.slice(0, at);
        buffer = buffer.slice(at + end.length);
        if (isData) {
          mails.push({ from, to, data: Buffer.from(line, "latin1").toString() });
          [isData, to] = [false, []];
          say("250 stored");
        } else answer(line);
      }
    });
    function answer(line: string): void {
      const refusal = refusals.find(({ command, times }) => times > 0 && line.toUpperCase().startsWith(command));
      if (refusal !== undefined) {
        refusal.times -= 1;
        return void say(refusal.answer);
      }
      const [, verb = "", address = ""] = /^(\w+)(?: (?:FROM|TO):<([^>]*)>)?/i.exec(line) ?? [];
      switch (verb.toUpperCase()) {
        case "EHLO":
          return void say("250 loopback");
        case "MAIL":
          from = address;
          return void say("250 ok");
        case "RCPT":
          to.push(address);
          return void say("250 ok");
        case "DATA":
          isData = true;
          return void say("354 go on");
        case "QUIT":
          say("221 bye");
          return void socket.end();
        default:
          return void say("502 not implemented");
      }
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refuse: (command, answer, times = 1) => void refusals.push({ command, answer, times }),
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
