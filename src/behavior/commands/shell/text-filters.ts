type Filter = (input: string, options: readonly string[]) => string | undefined;

const same: Filter = (input) => input;

/** What programs in a pipe likely make of the text before them. Good enough to gate, never used to prove. */
const FILTERS: Readonly<Record<string, Filter>> = {
  tee: same,
  sort: same,
  uniq: same,
  grep: same,
  tail: same,
  sudo: same,
  // `{print "rm " $0}`
  awk: (input, options) => {
    const [, before] = options.map((option) => /print\s+"([^"]*)"\s*\$\d/.exec(option)).find((found) => found) ?? [];
    return before === undefined ? input : input.replace(/^(?=.)/gm, () => before);
  },
  rev: (input) =>
    input
      .split("\n")
      .map((line) => [...line].reverse().join(""))
      .join("\n"),
  base64: decoded,
  basenc: decoded,
  openssl: decoded,
  xxd: (input, options) =>
    options.some((option) => /^-\w*r/.test(option))
      ? input.replace(/\s/g, "").replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
      : undefined,
  tr: (input, options) => {
    const [from = "", to = ""] = options.filter((option) => !/^-\w+$/.test(option)).map(letters);
    if (options.some((option) => /^-\w*d/.test(option)))
      return input.replace(/./gs, (one) => (from.includes(one) ? "" : one));
    return input.replace(/./gs, (one) => {
      const at = from.indexOf(one);
      return at < 0 ? one : (to[Math.min(at, to.length - 1)] ?? one);
    });
  },
  cut: (input, options) => {
    const text = options.join(" ");
    const [, kind, from = "1", to] = /(?:^| )-(c|b|f) ?(\d*)-?(\d*)/.exec(text) ?? [];
    const [, separator = "\t"] = /-d ?(.)/.exec(text) ?? [];
    const [first, last] = [Number(from || 1) - 1, to === undefined || to === "" ? undefined : Number(to)];
    if (kind === undefined) return input;
    const end = last ?? (text.includes("-", text.indexOf(from)) ? undefined : first + 1);
    const cut = (line: string) =>
      kind === "f" ? line.split(separator).slice(first, end).join(separator) : line.slice(first, end);
    return input.split("\n").map(cut).join("\n");
  },
  head: (input, options) => {
    const [, count] = /-c ?(\d+)/.exec(options.join(" ")) ?? [];
    return count === undefined ? input : input.slice(0, Number(count));
  },
  sed: (input, options) => {
    const [, , place, text] = /^s([/|#,])(\^|\$|\.\*)\1((?:(?!\1)[^\\])*)\1g?$/.exec(options.at(-1) ?? "") ?? [];
    if (place !== undefined && text !== undefined) {
      const around = place === "^" ? `${text}&` : place === "$" ? `&${text}` : text;
      return input
        .split("\n")
        .map((line) => around.replaceAll("&", () => line))
        .join("\n");
    }
    const [, from, to = ""] = /^s([/|#,])([\w. -]+)\1([^/|#,\\&]*)\1g?$/.exec(options.at(-1) ?? "")?.slice(1) ?? [];
    return from === undefined ? input : input.replaceAll(from, to);
  },
};

/** Longer texts pass unchanged. */
const MAX_TEXT = 10_000;

export function filterText(program: string, input: string, options: readonly string[]): string | undefined {
  const filter = Object.hasOwn(FILTERS, program) ? FILTERS[program] : undefined;
  if (filter === undefined) return undefined;
  return input.length > MAX_TEXT ? input : filter(input, options);
}

function decoded(input: string, options: readonly string[]): string | undefined {
  if (!options.some((option) => /^(?:-\w*[dD]\w*|--decode)$/.test(option))) return undefined;
  const text = input.replace(/[^A-Za-z\d+/]/g, "");
  try {
    return atob(text.slice(0, text.length - (text.length % 4 === 1 ? 1 : 0)));
  } catch {
    return undefined;
  }
}

/** `a-zA-Z` written out. */
function letters(set: string): string {
  return set.replace(/(.)-(.)/g, (_all, first: string, last: string) => {
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
    return to < from || to - from > 100
      ? ""
      : String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, i) => from + i));
  });
}
