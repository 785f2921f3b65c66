import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** Not of the open internet, by the registries of special-purpose addresses (RFC 6890 and after). */
const PRIVATE_4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local, and with it the metadata services of the clouds.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;
/** Within 2000::/3, which is all that is given out; tunnels carry an IPv4 address that nobody has looked at. */
const PRIVATE_6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const blocked = new BlockList();
for (const [net, bits] of PRIVATE_4) blocked.addSubnet(net, bits, "ipv4");
for (const [net, bits] of PRIVATE_6) blocked.addSubnet(net, bits, "ipv6");
const given = new BlockList();
given.addSubnet("2000::", 3, "ipv6");

/** Of the open internet? What is no address, or maps one onto another, is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, "ipv4");
    case 6:
      return given.check(address, "ipv6") && !blocked.check(address, "ipv6");
    default:
      return false;
  }
}

/** A URL that may not be asked; the message says why. */
export class UnsafeUrlError extends Error {}

export type UrlChecks = {
  /** All addresses of a name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly isAllowed: (address: string) => boolean;
};

export const PUBLIC_ONLY: UrlChecks = {
  resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

/** A URL with the one address that it is asked at: to look the name up again could give another. */
export type PinnedUrl = { readonly url: URL; readonly address: string };

/** Checks where a URL leads. One private address among a name's many is enough to refuse it. */
export async function pinUrl(text: string, { resolve, isAllowed }: UrlChecks = PUBLIC_ONLY): Promise<PinnedUrl> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new UnsafeUrlError("that is no URL");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new UnsafeUrlError(`only http and https are asked, not ${url.protocol.slice(0, 20)}`);
  if (url.username !== "" || url.password !== "") throw new UnsafeUrlError("a URL with a password in it is not asked");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const [address] = addresses;
  if (address === undefined) throw new UnsafeUrlError(`${host} has no address`);
  if (!addresses.every((one) => isAllowed(one)))
    throw new UnsafeUrlError(`${host} leads to a private address, which is not asked`);
  return { url, address };
}
