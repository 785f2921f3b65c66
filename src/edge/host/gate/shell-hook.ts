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
/** The client sent nothing: another one may send the event. */
const NOT_SENT = 9;

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

/** Sends the event in `event`. Exits with `NOT_SENT` if the daemon did not take it, 0 with its answer, else 1. */
const CLIENT = `LC_ALL=C status= length=0
[ "\${#event}" -lt ${MOST_BYTES} ] || exit ${NOT_SENT}
{ IFS=" " read -r port ask answer < "$CONDUCT_HOME/${ADDRESS}"; } 2>/dev/null || exit ${NOT_SENT}
if { exec 18<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then :; else exit ${NOT_SENT}; fi
printf "POST ${PATH} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer %s\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n%s" "$ask" "\${#event}" "$event" >&18
IFS=" " read -t "$1" -r line status line <&18
case $status in 401 | 404) exit ${NOT_SENT} ;; 200) ;; *) exit 1 ;; esac
while IFS= read -t 2 -r line <&18 && [ "$line" != "\${line%?}" ] && line=\${line%?} && [ -n "$line" ]; do
  case $line in [Cc]ontent-[Ll]ength:*) length=\${line#*: } ;; esac
done
IFS= read -t 2 -r line <&18
[ "$line" = "$answer" ] || exit 1
IFS= read -t 5 -r -d "" text <&18
[ "$((\${#line} + 1 + \${#text}))" -eq "$length" ] || exit 1
printf %s "$text"`;

/**
 * The part of the launcher that answers most hooks of Codex without Node, which takes most of a hook's time. Messages
 * and new sessions are left to Node, and everything if no daemon runs. An event that was sent is never sent again: if
 * its answer is missing, a call is blocked. `-p` ignores functions and start files that the environment names. Uses the
 * launcher's `watched`.
 */
export const SHELL_HOOK = `# Most events of Codex need no Node: bash asks the daemon over loopback.
if [ "\${1-}/\${2-}" = hook/codex ] && [ -z "\${CONDUCT_SOCKET-}\${CONDUCT_HOOK_MS-}" ] && [ -r "$home/${ADDRESS}" ] && [ -x /bin/bash ] && [ ! -t 0 ]; then
  input=$(cat)
  rc=${NOT_SENT} code=2 limit=${CALL_SECONDS}
  case $input in *'"PreToolUse"'* | *'"PostToolUse"'*) ;; *) code=1 limit=${STOP_SECONDS} ;; esac
  case $input in
    *'"UserPromptSubmit"'* | *'"SessionStart"'*) ;;
    *) if [ "\${#input}" -lt ${MOST_BYTES} ]; then event=$input /bin/bash --norc -p -c ${sh(CLIENT)} conduct "$limit" </dev/null; rc=$?; fi ;;
  esac
  if [ "$rc" -eq 0 ]; then exit 0; fi
  if [ "$rc" -ne ${NOT_SENT} ]; then
    if [ -n "$watched" ]; then exit 0; fi
    printf 'Conduct: the daemon did not answer, so the event is blocked. To find the cause, a person can run: conduct doctor\\n' >&2
    exit "$code"
  fi
  exec <<END_OF_EVENT
$input
END_OF_EVENT
fi

`;

function sh(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
