import { createHmac } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { asObject, exactOf, parseKeepingDigits } from "../../../base/kernel/json.ts";
import type { Json } from "../../../base/words/json.ts";
import type { HookRoute } from "../daemon/hook-http.ts";
import { replaceFile } from "../workspace/own-files.ts";

/** The file, relative to the home, in which the launcher finds the daemon: its port, and the two secrets below. */
const ADDRESS = "run/hooks";
const PATH = "/hooks/codex";
/** A longer event could fill the connection before the daemon reads it, and bash cannot wait for that with a limit. */
const MOST_BYTES = 60_000;
/** Seconds until a call or its result is blocked, and until a stop passes. The same as in `conduct hook codex`. */
const [CALL_SECONDS, STOP_SECONDS] = [13, 125];

/** `ask` lets its bearer send events. `answer` proves to the client that the daemon answers, not another program. */
function secretsOf(token: string): { readonly ask: string; readonly answer: string } {
  const secret = (use: string) => createHmac("sha256", token).update(`codex ${use}`).digest("hex");
  return { ask: secret("ask"), answer: secret("answer") };
}

/** The events of Codex over HTTP, sent by the launcher. No person types in these: Node sends the others. */
export function shellHookRoute(token: string, handle: (event: unknown) => Promise<unknown>): HookRoute {
  const { ask, answer } = secretsOf(token);
  return {
    method: "POST",
    path: PATH,
    raw: { token: ask },
    async handle({ body }) {
      const event = asObject(exactOf(parseKeepingDigits(String(body)) as Json));
      const text = JSON.stringify({ ...event, conduct_interactive: false });
      const answered = await handle(parseKeepingDigits(text));
      if (typeof answered !== "object" || answered === null) throw new Error("the daemon gave no answer");
      return { status: 200, text: `${answer}\n${JSON.stringify(answered)}` };
    },
  };
}

/** Tells the launcher where the daemon is. Returns a function that removes the file. */
export function writeShellHook(home: string, port: number, token: string): () => void {
  const { ask, answer } = secretsOf(token);
  const file = join(home, ADDRESS);
  replaceFile(file, `${port} ${ask} ${answer}\n`);
  return () => rmSync(file, { force: true });
}

/** Set for the launcher that takes over from bash: nothing was sent, or the exit code of an event without an answer. */
const TAKEN_OVER = "CONDUCT_SHELL_HOOK";

/** Reads the event and prints the daemon's answer. Otherwise the launcher `$1` goes on, with the same input. */
const CLIENT = `LC_ALL=C status= length=0 code=2 limit=${CALL_SECONDS} launcher=$1
if [ -p /dev/stdin ]; then event=$(< /dev/stdin); else event=$(cat); fi
go_on() { printf %s "$event" | ${TAKEN_OVER}=$1 /bin/sh "$launcher" hook codex; exit $?; }
case $event in "" | *'"UserPromptSubmit"'* | *'"SessionStart"'*) go_on not-sent ;; esac
case $event in *'"PreToolUse"'* | *'"PostToolUse"'*) ;; *) code=1 limit=${STOP_SECONDS} ;; esac
[ "\${#event}" -lt ${MOST_BYTES} ] || go_on not-sent
{ IFS=" " read -r port ask answer < "$CONDUCT_HOME/${ADDRESS}"; } 2>/dev/null || go_on not-sent
if { exec 18<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then :; else go_on not-sent; fi
printf "POST ${PATH} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer %s\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n%s" "$ask" "\${#event}" "$event" >&18
IFS=" " read -t "$limit" -r line status line <&18
case $status in 401 | 404) go_on not-sent ;; 200) ;; *) go_on "$code" ;; esac
while IFS= read -t 2 -r line <&18 && [ "$line" != "\${line%?}" ] && line=\${line%?} && [ -n "$line" ]; do
  case $line in [Cc]ontent-[Ll]ength:*) length=\${line#*: } ;; esac
done
IFS= read -t 2 -r line <&18
[ "$line" = "$answer" ] || go_on "$code"
IFS= read -t 5 -r -d "" text <&18
[ "$((\${#line} + 1 + \${#text}))" -eq "$length" ] || go_on "$code"
printf %s "$text"`;

/**
 * The part of the launcher that answers most hooks of Codex without Node, which takes most of a hook's time: bash takes
 * the launcher's place. Messages and new sessions are left to Node, and everything if no daemon runs. `-p` ignores
 * functions and start files that the environment names.
 */
export const SHELL_HOOK = `# Most events of Codex need no Node: bash asks the daemon over loopback.
if [ "\${1-}/\${2-}" = hook/codex ] && [ -z "\${CONDUCT_SOCKET-}\${CONDUCT_HOOK_MS-}\${${TAKEN_OVER}-}" ] && [ -r "$home/${ADDRESS}" ] && [ -x /bin/bash ] && [ ! -t 0 ]; then
  exec /bin/bash --norc -p -c ${sh(CLIENT)} conduct "$0"
fi

`;

/**
 * An event that was sent is never sent again: if its answer is missing, a call is blocked. Uses the launcher's
 * `watched`.
 */
export const SHELL_HOOK_FAILED = `case \${1-}/\${2-}/\${${TAKEN_OVER}-} in
  hook/codex/ | hook/codex/not-sent) ;;
  hook/codex/*)
    if [ -n "$watched" ]; then exit 0; fi
    printf 'Conduct: the daemon did not answer, so the event is blocked. To find the cause, a person can run: conduct doctor\\n' >&2
    if [ "$${TAKEN_OVER}" = 1 ]; then exit 1; fi
    exit 2
    ;;
esac

`;

function sh(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
