import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { asList, asObject, asString } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { SettingsFile } from "../runtime.ts";
import { readSettingsObject } from "../settings-file.ts";

/** A file whose `mcpServers` get Conduct's own tools: a server that starts our launcher. */
export function mcpServersFile(path: string, server: JsonObject): SettingsFile {
  return {
    path,
    about: "Conduct's own tools: read_result for shortened results, checkpoints, the user's memory",
    add(text) {
      const read = readSettingsObject(text);
      if ("refused" in read) return read;
      const { conduct } = asObject(read.value.mcpServers);
      if (isSameJson(conduct, server)) return { text };
      if (conduct !== undefined && !isOwnServer(conduct)) {
        const refused = "it has an MCP server named 'conduct' that is not Conduct's";
        return { refused, fix: "rename that server; nothing was changed" };
      }
      return { text: written({ ...read.value, mcpServers: { ...asObject(read.value.mcpServers), conduct: server } }) };
    },
    remove(text) {
      const read = readSettingsObject(text);
      if (text === undefined || "refused" in read || !isOwnServer(asObject(read.value.mcpServers).conduct))
        return { text };
      const { mcpServers, ...rest } = read.value;
      const { conduct: _, ...others } = asObject(mcpServers);
      return { text: written(Object.keys(others).length === 0 ? rest : { ...read.value, mcpServers: others }) };
    },
    faults(text) {
      const read = readSettingsObject(text);
      if ("refused" in read) return [read.refused];
      const isThere = isSameJson(asObject(read.value.mcpServers).conduct, server);
      return isThere ? [] : ["the MCP server 'conduct' is missing or outdated"];
    },
  };
}

/** A server that starts `CONDUCT_HOME/bin/conduct hook NAME-tools` on any platform, whichever version wrote it. */
export function isOwnServer(server: Json | undefined): boolean {
  const { command, args } = asObject(server);
  const words = [command, ...asList(args)].map(asString);
  const launcher = asString(command) === "cmd.exe" ? words.find((word) => word.endsWith(".cmd")) : words[0];
  return /[\\/]bin[\\/]conduct(?:\.cmd)?$/.test(launcher ?? "") && words.some((word) => word.endsWith("-tools"));
}

function written(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
