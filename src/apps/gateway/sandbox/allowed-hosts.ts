import { isIP } from "node:net";

type Entry = { readonly host: string; readonly below: boolean; readonly ports: readonly number[] };

export type HostVerdict =
  | { readonly kind: "refused" }
  /** Allowed if every address of the name is public. */
  | { readonly kind: "public-only" }
  /** The operator listed this address, so it may be private. */
  | { readonly kind: "as-written" };

export type AllowedHosts = {
  /** `host` in the form that `URL` writes: lower case, canonical addresses. */
  judge(host: string, port: number): HostVerdict;
  /** Whether a loopback address is allowed. */
  readonly loopback: boolean;
};

const WEB = [80, 443];

/** Parses `network` of an agent: `example.org`, `*.example.org`, `*` or an address, each with an optional port. */
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
  // Canonical spelling, as in requests.
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  return url === undefined ? [] : [{ host: plainHost(url.hostname), below, ports }];
}

/** Wildcards match names only; addresses and `localhost` must be listed. */
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
