import { isIP } from "node:net";

/** What an agent's definition allows, read once. */
type Entry = { readonly host: string; readonly below: boolean; readonly ports: readonly number[] };

export type HostVerdict =
  | { readonly kind: "refused" }
  /** Allowed if every address of the name is of the open internet. */
  | { readonly kind: "public-only" }
  /** The operator has written this very address: it may be a private one. */
  | { readonly kind: "as-written" };

export type AllowedHosts = {
  /** `host` as `URL` writes it: lower case, addresses in their usual form. */
  judge(host: string, port: number): HostVerdict;
  /** Whether an address of loopback is allowed. */
  readonly loopback: boolean;
};

const WEB = [80, 443];

/** Reads `network` of an agent: `example.org`, `*.example.org`, `*`, each with a port if it is not 80 or 443, or an address. */
export function allowedHosts(network: readonly string[]): AllowedHosts {
  const entries = network.flatMap(readEntry);
  return {
    judge(given, port) {
      const host = plainHost(given);
      const fitting = entries.filter((entry) => entry.ports.includes(port) && fits(entry, host));
      if (fitting.length === 0) return { kind: "refused" };
      const written = isIP(host) !== 0 || host === "localhost";
      return { kind: written ? "as-written" : "public-only" };
    },
    loopback: entries.some(({ host }) => host === "localhost" || host === "::1" || host.startsWith("127.")),
  };
}

function readEntry(text: string): readonly Entry[] {
  const [, name = "", port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text.startsWith("[") ? text : text.toLowerCase()) ?? [];
  const ports = port === undefined ? WEB : [Number(port)];
  if (name === "*") return [{ host: "", below: true, ports }];
  const below = name.startsWith("*.");
  const host = below ? name.slice(2) : name;
  // One spelling for each address, the same as in what a program asks for.
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  return url === undefined ? [] : [{ host: plainHost(url.hostname), below, ports }];
}

/** A wildcard is for names: addresses and `localhost` have to be written out. */
function fits({ host, below }: Entry, asked: string): boolean {
  if (!below) return asked === host;
  if (isIP(asked) !== 0 || asked === "localhost") return false;
  return host === "" || asked.endsWith(`.${host}`);
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}
