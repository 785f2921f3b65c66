import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { SHELL_HOOK, SHELL_HOOK_FAILED } from "../../../edge/host/gate/shell-hook.ts";
import { versionsFolder } from "../../../edge/host/node/installed-copy.ts";

/** The target of the launcher: a Node, and the `conduct` program of one installation. */
export type Installation = { readonly node: string; readonly program: string };

/** The launcher's exit code after it has printed the reason, for guards that choose their own code. */
const EXPLAINED = 3;

/**
 * The text of `CONDUCT_HOME/bin/conduct`, a POSIX shell script that needs neither the installation nor Node. It always
 * starts Conduct for its own home. If Conduct is missing or fails, a runtime in shadow mode continues, with one
 * warning per hour; an enforced one is blocked, with a sentence that says what is missing and how to repair it.
 */
export function launcherScript(home: string, { node, program }: Installation, elsewhere?: Elsewhere): string {
  const gone = `Conduct is not where it was installed (${program}).`;
  const nodeGone = `The Node that Conduct was installed with is missing (${node}).`;
  return `#!/bin/sh
# Conduct's launcher. Written by \`conduct init\`, removed by \`conduct uninstall\` and with the last
# \`conduct init RUNTIME --undo\`.
# Runtimes start this file, so that it can still answer when the installation was moved or deleted.
home=${sh(home)}
node=${sh(node)}
program=${sh(program)}

close='}'
# Succeeds when the runtime is in shadow. \`conduct enforce\` writes the file; anything unexpected in it means enforced.
is_watched() {
  [ -r "$2" ] || return 1
  json=
  while IFS= read -r line || [ -n "$line" ]; do json="$json$line"; done < "$2"
  key="\\"$1\\": {"
  case $json in *"$key"*) ;; *) key="\\"$1\\":{" ;; esac
  case $json in *"$key"*) ;; *) return 1 ;; esac
  json=\${json#*"$key"}
  json=\${json%%"$close"*}
  case $json in *'"enforcement"'*) ;; *) return 1 ;; esac
  json=\${json#*'"enforcement"'}
  json=\${json#*'"'}
  [ "\${json%%'"'*}" = shadow ]
}

# Succeeds once an hour for each runtime.
warning_due() {
  stamp="$home/bin/.warned-$runtime"
  hour=$(date -u +%Y%m%d%H 2>/dev/null)
  last=
  if [ -r "$stamp" ]; then IFS= read -r last < "$stamp"; fi
  if [ -n "$hour" ] && [ "$last" = "$hour" ]; then return 1; fi
  (umask 077; printf '%s\\n' "$hour" > "$stamp") 2>/dev/null
  return 0
}

# An MCP server without tools: Codex does not start without the server it was told of.
serve_nothing() {
  while IFS= read -r line; do
    case $line in *'"id":'*) ;; *) continue ;; esac
    id=\${line#*'"id":'}
    id=\${id%%,*}
    id=\${id%%"$close"*}
    case $line in
      *'"initialize"'*)
        version=\${line#*'"protocolVersion"'}
        version=\${version#*'"'}
        version=\${version%%'"'*}
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"%s","capabilities":{"tools":{}},"serverInfo":{"name":"conduct","version":"0"}}}\\n' "$id" "$version"
        ;;
      *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\\n' "$id" ;;
      *) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id" ;;
    esac
  done
  exit 0
}

runtime=
case \${1-} in
  hook) runtime=\${2-}; runtime=\${runtime%-tools} ;;
  acp | mcp) runtime=$1 ;;
esac
case $runtime in *[!a-z-]*) runtime=unknown ;; esac

# A runtime always gets the Conduct of this home. A person may name another one.
case \${1-} in
  hook | acp | mcp) CONDUCT_HOME=$home ;;
  *) CONDUCT_HOME=\${CONDUCT_HOME:-$home} ;;
esac
export CONDUCT_HOME

${SHELL_HOOK}watched=
if [ -n "$runtime" ] && is_watched "$runtime" "$home/runtimes.json"; then watched=1; fi

${SHELL_HOOK_FAILED}${elsewhere === undefined ? "" : searchScript(elsewhere)}missing=
missing_json=
if [ ! -f "$program" ]; then
  missing=${sh(gone)}
  missing_json=${sh(inJson(gone))}
elif [ ! -x "$node" ]; then
  missing=${sh(nodeGone)}
  missing_json=${sh(inJson(nodeGone))}
fi

if [ -z "$missing" ]; then
  if [ -z "$watched" ] || [ "\${2-}" = "$runtime-tools" ]; then exec "$node" "$program" "$@"; fi
  if [ "$1" != hook ]; then
    if "$node" "$program" --version >/dev/null 2>&1; then exec "$node" "$program" "$@"; fi
  elif out=$("$node" "$program" "$@" 2>/dev/null); then
    printf '%s' "$out"
    exit 0
  fi
  missing=${sh(`Conduct cannot be run (${program}).`)}
  missing_json=${sh(inJson(`Conduct cannot be run (${program}).`))}
fi

if [ -z "$runtime" ]; then
  printf '%s\\n' "$missing Install Conduct again, then run: conduct init" >&2
  exit 1
fi
if [ "\${2-}" = "$runtime-tools" ]; then serve_nothing; fi

if [ -n "$watched" ]; then
  rest="$runtime is only watched, so nothing is blocked and nothing is recorded. Install Conduct again, then run: conduct init $runtime"
  if [ "$1" = hook ]; then
    if [ "$runtime" != cursor ] && warning_due; then printf '{"systemMessage":"%s %s"}' "$missing_json" "$rest"; fi
    exit 0
  fi
  if warning_due; then printf '%s\\n' "$missing $rest" >&2; fi
  while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
  if [ $# -gt 1 ]; then
    shift
    exec "$@"
  fi
  exit 1
fi

printf '%s\\n' "$missing Everything is blocked because $runtime is enforced. Install Conduct again, then run: conduct init $runtime (to remove its hooks by hand: $home/bin/README)" >&2
case $1/$runtime in
  hook/codex | hook/cursor | hook/gemini | hook/copilot) exit ${EXPLAINED} ;;
  hook/*) exit 2 ;;
  *) exit 1 ;;
esac
`;
}

/** Where Conduct and Node may be after they were moved or reinstalled; `*` matches any name. */
type Elsewhere = { readonly programs: readonly string[]; readonly nodes: readonly string[] };

/** Shell code that looks for a package or a Node that was moved. PATH is not used: a runtime may change it. */
function searchScript({ programs, nodes }: Elsewhere): string {
  const patterns = (paths: readonly string[]) => paths.map((path) => path.split("*").map(sh).join("*")).join(" ");
  return `# Updating Node or reinstalling the package may move them. Only folders in which npm installs are searched.
if [ ! -f "$program" ]; then
  for found in ${patterns(programs)}; do
    if [ -f "$found" ]; then program=$found; break; fi
  done
fi
if [ ! -x "$node" ]; then
  for found in "\${program%/lib/node_modules/*}/bin/node" ${patterns(nodes)}; do
    case $("$found" --version 2>/dev/null) in
      v2[4-9].* | v[3-9][0-9].*) node=$found; break ;;
    esac
  done
fi

`;
}

/** System folders are searched only if Conduct or its Node was in one. */
const SYSTEM = ["/usr/local", "/opt/homebrew", "/opt/local", "/usr"];
/** The folders in which version managers and npm install for one account. */
const OF_ACCOUNT = [
  ".npm-global",
  ".local",
  ".nvm/versions/node/*",
  ".local/share/fnm/node-versions/*/installation",
  ".local/share/mise/installs/node/*",
  ".asdf/installs/nodejs/*",
  ".volta/tools/image/packages/agent-conduct",
  ".volta/tools/image/node/*",
  "n",
];

export function elsewhereOf(home: string, { node, program }: Installation): Elsewhere {
  const system = SYSTEM.filter((folder) => [node, program].some((path) => path.startsWith(`${folder}/`)));
  const prefixes = [dirname(dirname(node)), ...OF_ACCOUNT.map((name) => join(homedir(), name)), ...system];
  const name = "dist/conduct.mjs";
  return {
    programs: [
      join(versionsFolder(home), "*", name),
      ...prefixes.map((prefix) => join(prefix, "lib/node_modules/agent-conduct", name)),
    ],
    nodes: prefixes.map((prefix) => join(prefix, "bin/node")),
  };
}

/**
 * Shell code that succeeds when a runtime is in shadow mode, for a hook whose launcher is missing: `conduct init
 * --undo` removes it, and running sessions keep their hooks. Shorter than the launcher's own check, because every hook
 * contains it.
 */
export function watchedCondition(home: string, runtime: string): string {
  return [
    `j=$(cat ${sh(`${home}/runtimes.json`)} 2>/dev/null)`,
    `k="\\"${runtime}\\": {"`,
    `case $j in *"$k"*) ;; *) j= ;; esac`,
    `j=\${j#*"$k"}; j=\${j%%"}"*}; j=\${j#*\\"enforcement\\": \\"}`,
    `[ "\${j%%\\"*}" = shadow ]`,
  ].join("; ");
}

function sh(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text of `CONDUCT_HOME/bin/README`: how to remove Conduct after its installation is gone. */
export const LAUNCHER_README = `This folder belongs to Conduct. Coding runtimes start the program \`conduct\` in it.

If Conduct was moved or deleted, install it again and run \`conduct init RUNTIME\` (for example \`conduct init codex\`).

To remove Conduct from a runtime by hand:

claude-code  ~/.claude/settings.json: delete the hooks whose url has /hooks/claude-code or whose command ends in "# conduct"
             ~/.claude.json: delete "conduct" under "mcpServers"
codex        ~/.codex/hooks.json: delete the hooks whose command has "The Conduct hook did not answer"
             ~/.codex/config.toml: delete the lines that end in "# conduct init codex"
gemini       ~/.gemini/settings.json: delete the hooks whose name is "conduct", and "conduct" under "mcpServers"
copilot      delete ~/.copilot/hooks/conduct.json
             ~/.copilot/mcp-config.json: delete "conduct" under "mcpServers"
cursor       ~/.cursor/hooks.json: delete the hooks whose command has "The Conduct hook did not answer"
opencode     delete ~/.config/opencode/plugin/conduct.js
pi           delete ~/.pi/agent/extensions/conduct.ts
openclaw     ~/.openclaw/openclaw.json: delete "conduct" under "plugins.entries", this folder under "plugins.load.paths"
             and the folder gate/bin under "tools.exec.pathPrepend"
acp, mcp     delete the entry that starts this program from your editor's or client's settings

The folder gate, next to this one, holds the programs that check what a command starts. Delete it with this one.

The files as they were before Conduct came are in the folder init, next to this one.
`;
