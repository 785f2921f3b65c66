import { isDeepStrictEqual } from "node:util";
import { asList, asObject, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { GuardedKind } from "./guarded-file.ts";

const ID = "conduct";

/** `openclaw.json`. One with comments cannot be rewritten without losing them: a change there is reported and left. */
export const openclawConfig: GuardedKind = {
  has: (text) => pluginsOf(parseObject(text ?? "") ?? {}).entry !== undefined,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const config = parseObject(text);
    if (config === undefined)
      return "it is not plain JSON any more, so Conduct cannot tell whether its plugin is loaded";
    const [is, was] = [pluginsOf(config), pluginsOf(parseObject(good) ?? {})];
    if (is.enabled === false) return "plugins.enabled is false: OpenClaw loads no plugin";
    if (is.deny.includes(ID)) return "plugins.deny names conduct";
    if (is.allow.length > 0 && !is.allow.includes(ID)) return "plugins.allow does not name conduct";
    if (!isDeepStrictEqual(is.entry, was.entry)) return "the entry of Conduct's plugin is missing or changed";
    if (was.paths.some((path) => !is.paths.includes(path))) return "the path of Conduct's plugin is missing";
    return undefined;
  },
  restore(text, good) {
    if (text === undefined) return good;
    const config = parseObject(text);
    if (config === undefined) return undefined;
    const [is, was] = [pluginsOf(config), pluginsOf(parseObject(good) ?? {})];
    const plugins = asObject(config.plugins);
    const { enabled: _enabled, deny: _deny, ...rest } = plugins;
    const deny = is.deny.filter((name) => name !== ID);
    const whole = {
      ...config,
      plugins: {
        ...rest,
        ...(is.enabled === false ? {} : { enabled: is.enabled }),
        ...(deny.length === 0 ? {} : { deny }),
        ...(is.allow.length === 0 ? {} : { allow: [...new Set([...is.allow, ID])] }),
        load: { ...asObject(plugins.load), paths: [...new Set([...is.paths, ...was.paths])] },
        entries: { ...asObject(plugins.entries), [ID]: was.entry },
      },
    };
    return `${JSON.stringify(whole, null, 2)}\n`;
  },
};

function pluginsOf(config: JsonObject) {
  const plugins = asObject(config.plugins);
  return {
    enabled: plugins.enabled,
    deny: asList(plugins.deny),
    allow: asList(plugins.allow),
    paths: asList(asObject(plugins.load).paths),
    entry: asObject(plugins.entries)[ID],
  };
}
