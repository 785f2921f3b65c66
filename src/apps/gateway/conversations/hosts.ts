import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** The names under which this gateway may be asked. Where it listens everywhere those are the machine's own addresses, and no other name. */
export function hostsOf(host: string, port: number): readonly string[] {
  const bracketed = (address: string) => (isIP(address) === 6 ? `[${address}]` : address.toLowerCase());
  const everywhere = host === "0.0.0.0" || host === "::" || host === "";
  const names = everywhere
    ? [
        ...LOOPBACK,
        ...Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => bracketed(one.address))),
      ]
    : LOOPBACK.includes(bracketed(host))
      ? LOOPBACK
      : [bracketed(host)];
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}
