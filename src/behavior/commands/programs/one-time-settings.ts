import type { Arguments } from "./arguments.ts";

const NONE: ReadonlyMap<string, string> = new Map();

/** Settings for one command: `git -c KEY=VALUE`, `--config-env`, `GIT_CONFIG_KEY_0` and `GIT_CONFIG_PARAMETERS`. */
export function settingsOf(
  args: Arguments,
  variables: ReadonlyMap<string, string> = NONE,
): readonly (readonly [string, string])[] {
  const pair = (text: string) => [text.split("=")[0] ?? "", text.replace(/^[^=]*=?/, "")] as const;
  const given = args.values("-c").map(pair);
  const named = args.values("--config-env").map((text) => {
    const [key, variable] = pair(text);
    return [key, variables.get(variable) ?? ""] as const;
  });
  const counted = [...variables].flatMap(([name, key]) => {
    const [, number] = /^GIT_CONFIG_KEY_(\d+)$/.exec(name) ?? [];
    return number === undefined ? [] : [[key, variables.get(`GIT_CONFIG_VALUE_${number}`) ?? ""] as const];
  });
  const quoted = [...(variables.get("GIT_CONFIG_PARAMETERS") ?? "").matchAll(/'([^'=]+)=([^']*)'/g)];
  return [...given, ...named, ...counted, ...quoted.map(([, key = "", value = ""]) => [key, value] as const)];
}
