import type { RunVariables } from "../line-variables.ts";
import type { Arguments } from "./arguments.ts";

/** Settings for one command: `git -c KEY=VALUE`, `--config-env`, `GIT_CONFIG_KEY_0` and `GIT_CONFIG_PARAMETERS`. */
export function settingsOf(
  args: Arguments,
  variables: RunVariables | undefined,
): readonly (readonly [string, string])[] {
  if (args.options.size === 0 && (variables?.telling.length ?? 0) === 0) return [];
  const pair = (text: string) => [text.split("=")[0] ?? "", text.replace(/^[^=]*=?/, "")] as const;
  const given = args.values("-c").map(pair);
  if (variables?.isEmpty !== false && args.values("--config-env").length === 0) return given;
  const named = args.values("--config-env").map((text) => {
    const [key, variable] = pair(text);
    return [key, variables?.get(variable) ?? ""] as const;
  });
  const counted = (variables?.telling ?? []).flatMap(([name, key]) => {
    const [, number] = /^GIT_CONFIG_KEY_(\d+)$/.exec(name) ?? [];
    return number === undefined ? [] : [[key, variables?.get(`GIT_CONFIG_VALUE_${number}`) ?? ""] as const];
  });
  const quoted = [...(variables?.get("GIT_CONFIG_PARAMETERS") ?? "").matchAll(/'([^'=]+)=([^']*)'/g)];
  return [...given, ...named, ...counted, ...quoted.map(([, key = "", value = ""]) => [key, value] as const)];
}
