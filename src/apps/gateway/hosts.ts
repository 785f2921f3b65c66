import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** The `Host` values that this gateway answers to. If it listens on all interfaces, these are the machine's own addresses. */
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
