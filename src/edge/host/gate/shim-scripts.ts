const ABOUT = `# Conduct's exec gate, written by \`conduct init\` and removed by \`conduct init RUNTIME --undo\`.
# It stands first on the PATH of an agent's shell, sees the words that a program is really started with, and asks the
# daemon about those that rules may be on. Everything else is started at once.
name=\${0##*/}
`;

function head(folder: string): string {
  return `set -f
gate=${sh(folder)}

# The real program: the first one in PATH behind this folder. Sets \`real\`.
find_real() {
  local IFS=: folder behind= others=
  real=
  for folder in $PATH; do
    [ -n "$folder" ] || folder=.
    if [ "$folder" -ef "$gate/bin" ]; then behind=1 real=; continue; fi
    if [ -z "$real" ] && [ -f "$folder/$name" ] && [ -x "$folder/$name" ] && ! [ "$folder/$name" -ef "$gate/bin/$name" ]; then
      real=$folder/$name
      [ -z "$behind" ] || break
    fi
  done
  if [ -z "$real" ]; then
    printf '%s: command not found\\n' "$name" >&2
    exit 127
  fi
  # Another wrapper that looks for the program in PATH finds this one again: step out of the way.
  export CONDUCT_GATE_DEPTH=$((\${CONDUCT_GATE_DEPTH:-0} + 1))
  if [ "$CONDUCT_GATE_DEPTH" -gt 40 ]; then
    for folder in $PATH; do [ "$folder" -ef "$gate/bin" ] || [ "$folder/git" -ef "$gate/git" ] || others=$others:$folder; done
    export PATH="\${others#:}"
    unset CONDUCT_GATE_DEPTH GIT_EXEC_PATH
  elif [ "$name" = git ]; then
    # git puts its own folder before PATH for hooks, editors and other children: let that be one with this gate.
    core=$gate/core$real
    if [ -d "$core/.real" ]; then
      case \${GIT_EXEC_PATH-} in
        '' | "$gate/core/"*) export GIT_EXEC_PATH="$core" ;;
        *) ! [ "$GIT_EXEC_PATH" -ef "$core/.real" ] || export GIT_EXEC_PATH="$core" ;;
      esac
    fi
  fi
}

run() { find_real; exec "$real" "$@"; }
`;
}

/** Reads the daemon's address and the workspaces of live sessions; asks and reports over loopback. */
const ASK = `
# Is this folder in the workspace of a session? Sets \`session\` and \`mode\` (e: enforced, s: shadow).
in_workspace() {
  local folder=$1 m s root
  session= mode=
  { IFS=' ' read -r port token
    while IFS=$'\\t' read -r m s root; do
      [[ $folder/ == "$root"/* ]] || continue
      session=$s
      [[ $mode == e ]] || mode=$m
    done; } < "$gate/sessions" 2>/dev/null
  [[ -n $session ]]
}

# The folder as the system knows it, without links. Sets \`here\`.
physical() {
  local was=$PWD
  if [[ $1 == . ]]; then
    cd -P . 2>/dev/null
    here=$PWD PWD=$was
  else
    here=$(cd -P -- "$1" 2>/dev/null && printf '%s.' "$PWD")
    here=\${here%.}
  fi
}

bytes() { local LC_ALL=C one; size=0; for one in "$@"; do ((size += \${#one} + 1)); done; }

# macOS has bash 3.2, which cannot choose a free descriptor. Sends what is in \`about\` and the words. Sets \`status\` and \`text\`. Fails if nobody answers within 2 s.
tell() {
  local line writer= all=("\${about[@]}" "" "$name" "$@")
  status= text=
  trap '' PIPE
  if { exec 18<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then
    bytes "\${all[@]}"
    send() {
      printf 'POST /exec HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer %s\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n' "$token" "$size"
      printf '%s\\0' "\${all[@]}"
    }
    if ((size < 60000)); then send >&18 2>/dev/null
    else send >&18 2>/dev/null & writer=$!
    fi
    if IFS=' ' read -t 2 -r line status line <&18 && [[ $status != 204 ]]; then
      while IFS= read -t 2 -r line <&18 && [[ $line != $'\\r' ]]; do :; done
      IFS= read -t 2 -r -d '' text <&18
    fi
    [[ -z $writer ]] || kill "$writer" 2>/dev/null
    exec 18>&-
  fi
  trap - PIPE
  [[ -n $status ]]
}

about_here() { about=("$@" "session=\${CONDUCT_GATE_SESSION-}" "seen=$session" "parent=$PPID" "cwd=$here"); }

# Asks the daemon. Returns if the program may start; otherwise says why it does not.
ask() {
  local line
  if tell "$@"; then
    case $status in
      403) printf '%s\\n' "$text" >&2; exit 126 ;;
      20*) return ;;
      # Another token or another version: the next hook of the session writes the address again.
    esac
  fi
  [[ $mode == e ]] || return 0
  printf 'conduct: %s was not started: the Conduct daemon does not answer, and this session is enforced.\\nNext: stop and tell the person you work for. They can see what is wrong with: conduct doctor\\n' "$name" >&2
  exit 126
}
`;

/** Never writes, publishes or deletes anything, and runs no program that its words name. */
const READING =
  "status|log|diff|show|rev-parse|ls-files|ls-tree|ls-remote|cat-file|rev-list|describe|blame|annotate|grep|shortlog|whatchanged|show-ref|show-branch|for-each-ref|merge-base|name-rev|diff-tree|diff-index|diff-files|range-diff|cherry|count-objects|check-ignore|check-attr|check-ref-format|check-mailmap|var|help|version|fsck|verify-commit|verify-tag|verify-pack|column|stripspace|interpret-trailers|patch-id|get-tar-commit-id|unpack-file|fmt-merge-msg|merge-tree|merge-file|bugreport|diagnose|request-pull|upload-pack|upload-archive|receive-pack|fetch-pack|index-pack|unpack-objects|pack-objects|mailinfo|mailsplit";

/** git's own commands that a rule may be on: no alias has their name. */
const WRITING =
  "add|am|apply|archive|clone|credential|fetch|init|sparse-checkout|instaweb|gui|citool|bisect|branch|bundle|checkout|checkout-index|cherry-pick|clean|commit|commit-graph|commit-tree|config|difftool|fast-export|fast-import|filter-branch|filter-repo|format-patch|gc|hash-object|hook|lfs|maintenance|merge|mergetool|mktag|mktree|multi-pack-index|mv|notes|pack-redundant|pack-refs|prune|prune-packed|pull|push|read-tree|rebase|reflog|remote|repack|replace|rerere|reset|restore|revert|rm|send-email|send-pack|http-push|stage|stash|submodule|subtree|svn|switch|symbolic-ref|tag|update-index|update-ref|update-server-info|worktree|write-tree|rebase--interactive|remote-https|remote-http|remote-ext|remote-fd|p4|cvsimport|daemon|shell|quiltimport|for-each-repo|fsmonitor--daemon";

/** A POSIX script, because `sh` often starts in half the time of bash. It asks nothing itself. */
export function gitShim(folder: string): string {
  return `#!/bin/sh
${ABOUT}${head(folder)}
sub= takes= settings=$GIT_CONFIG_COUNT$GIT_CONFIG_PARAMETERS
for word do
  case $takes in
    '') ;;
    -c) case $word in color.* | core.quote[pP]ath=* | advice.*) ;; *) settings=1 ;; esac; takes=; continue ;;
    *) takes=; continue ;;
  esac
  case $word in
    -c | -C | --namespace | --super-prefix | --attr-source) takes=$word ;;
    --git-dir | --work-tree | --config-env) takes=$word settings=1 ;;
    --git-dir=* | --work-tree=* | --config-env=* | --exec-path=*) settings=1 ;;
    -*) ;;
    *) sub=$word; break ;;
  esac
done
if [ -z "$settings" ]; then
  case $sub in
    '' | ${READING.replaceAll("|", " | ")}) run "$@" ;;
    # git starts it after most commands.
    maintenance) [ "$2 $3" != "run --auto" ] || run "$@" ;;
  esac
fi
[ -r "$gate/sessions" ] || run "$@"
exec /bin/bash -p "$gate/ask-git" "$name" "$@"
`;
}

/**
 * git starts itself: pull starts merge, stash starts reset. Such steps were decided with the command around them, and so
 * were those of hook managers, which put unstaged changes away and back. A hook's or an alias's own commands are not.
 */
const STEPS = `
is_step() {
  local word at=1 parent=() from
  if [[ -r /proc/$PPID/cmdline ]]; then
    while IFS= read -r -d '' word; do parent+=("$word"); done < "/proc/$PPID/cmdline"
  else
    read -r -a parent <<< "$(ps -o command= -p "$PPID" 2>/dev/null)"
  fi
  case "\${parent[*]:0:4}" in
    *"bin/pre-commit "* | *"-mpre_commit "* | *node_modules/*lint-staged* | *"lefthook run "*)
      case $sub in add | apply | checkout | clean | read-tree | reset | restore | stash | update-index | write-tree) return 0 ;; esac
      return 1 ;;
  esac
  from=\${parent[0]##*/}
  case $from in
    git | git-*)
      ! [[ -e /proc/$PPID/exe ]] || [[ /proc/$PPID/exe -ef $real || /proc/$PPID/exe -ef $core/.real/$from ]] || return 1
      if [[ $from == git ]]; then
        while [[ \${parent[at]-} == -* ]]; do
          case \${parent[at]} in -c | -C | --git-dir | --work-tree | --namespace | --config-env) ((at += 2)) ;; *) ((at += 1)) ;; esac
        done
        from=\${parent[at]-}
      fi ;;
    *)
      word=\${parent[1]-} from=\${word##*/}
      [[ $word == */git-* ]] && [[ \${word%/*} -ef $core || \${word%/*} -ef $core/.real ]] || return 1 ;;
  esac
  from=\${from#git-}
  case \${from%--helper}/$sub in
    remote-*/*) ;;
    pull/merge | pull/rebase | stash/reset | stash/clean | stash/checkout | merge/stash | merge/reset | merge/commit | clone/submodule | clone/checkout) ;;
    rebase/commit | rebase/merge | rebase/stash | rebase/reset | rebase/checkout | rebase/am | cherry-pick/commit | revert/commit | am/commit) ;;
    worktree/reset | worktree/branch | worktree/update-ref | worktree/symbolic-ref | worktree/checkout | worktree/config) ;;
    bisect/checkout | bisect/reset | bisect/update-ref | bisect/branch) ;;
    submodule/push) return 1 ;;
    submodule/* | subtree/config | subtree/reset | subtree/merge | subtree/commit | filter-branch/update-ref | filter-branch/reset | filter-branch/checkout) ;;
    */push | */send-pack | */http-push | */reset | */clean | */checkout | */restore | */switch | */branch | */tag | */config | */remote | */update-ref | */symbolic-ref | */commit | */commit-tree | */filter-branch | */filter-repo | */stash | */rebase | */merge | */cherry-pick | */revert | */am | */reflog | */replace | */svn | */p4 | */send-email | */rm | */mv | */worktree | */submodule | */subtree | */clone | */bundle | */archive | */notes | */lfs) return 1 ;;
  esac
}
`;

/** `-p` keeps the agent's BASH_ENV and exported functions out of it, as in every script that asks. */
export function gitAsker(folder: string): string {
  return `#!/bin/bash -p
name=$1
shift
${head(folder)}${ASK}${STEPS}
words=("$@") at=0 folders=()
while ((at < $#)); do
  case \${words[at]} in
    -C | --git-dir | --work-tree) folders+=("\${words[at + 1]-.}"); ((at += 2)) ;;
    --git-dir=* | --work-tree=*) folders+=("\${words[at]#*=}"); ((at += 1)) ;;
    -c | --config-env | --namespace | --super-prefix | --attr-source) ((at += 2)) ;;
    -*) ((at += 1)) ;;
    *) break ;;
  esac
done
sub=\${words[at]-}

# Is git about a repository in the workspace of a session?
physical .
start=$here
for one in "\${folders[@]}"; do
  if [[ $one == /* ]]; then physical "$one"; else physical "$here/$one"; fi
  [[ -n $here ]] || here=$start
done
if ! in_workspace "$here"; then
  there=
  if [[ -n \${GIT_DIR-}\${GIT_WORK_TREE-} ]]; then
    physical "\${GIT_WORK_TREE:-\${GIT_DIR-}}"
    if [[ -n $here ]] && in_workspace "$here"; then there=1; fi
  fi
  [[ -n $there ]] || run "$@"
fi

about_here kind=ask
for one in "\${!GIT_CONFIG_@}" HUSKY HUSKY_SKIP_HOOKS LEFTHOOK LEFTHOOK_EXCLUDE SKIP_SIMPLE_GIT_HOOKS OVERCOMMIT_DISABLE PRE_COMMIT_ALLOW_NO_CONFIG; do
  [[ -z \${!one+x} ]] || about+=("var=$one=\${!one}")
done
find_real
! is_step || exec "$real" "$@"
# An alias may name another one.
tries=0
while ((tries++ < 10)) && [[ -n $sub ]]; do
  case $sub in ${READING.replaceAll("|", " | ")} | ${WRITING.replaceAll("|", " | ")}) break ;; esac
  value=$("$real" "\${words[@]:0:at}" config --get "alias.$sub" 2>/dev/null) || break
  # The programs of a shell alias are asked about when it starts them, unless they would pass the gate.
  if [[ $value == '!'* && -n \${GIT_EXEC_PATH-} && ! $value =~ /|PATH|sudo|env|command|ssh ]]; then exec "$real" "$@"; fi
  about+=("alias=$sub=$value")
  [[ $value != '!'* ]] || break
  words=($value) at=0
  while [[ \${words[at]-} == -* ]]; do
    case \${words[at]} in -c | -C | --git-dir | --work-tree) ((at += 2)) ;; *) ((at += 1)) ;; esac
  done
  sub=\${words[at]-} words=("\${words[@]:0:at}")
done
ask "$@"
exec "$real" "$@"
`;
}

/** Words of a run that may be a test, a build, a lint or a type check. The daemon knows whether it is one. */
const CHECKS =
  "t | tst | it | unit* | e2e* | ci | vet | tsc | xo | ava | tap | *test* | *spec* | *check* | *lint* | *build* | *compile* | *bundle* | *type* | *verify* | *integration* | *jest* | *mocha* | *tox* | *nox* | *cypress* | *playwright* | *clippy* | *mypy* | *pyright* | *ruff* | *flake8* | *biome* | *style* | *analyze* | *format* | *assemble* | *package* | dist | all | -m";

/** Words of a run that rules may be on before it starts. */
const SHARES =
  "*publish* | *deploy* | *release* | deprecate | undeprecate | dist-tag | dist-tags | owner | access | yank | upload | push | pkg | set-script | version | destroy | delete | rollout | ship | production | owners | team | token | hook | nuget | *migrate* | *drop* | *reset* | *flyway* | db:* | http:* | https:*";

/** Reads only, whatever follows. */
const LOOKS =
  "'' | help | version | info | status | list | ls | get | view | show | describe | logs | log | ps | images | search | inspect | diff | validate | fmt | explain | top | events | stats | wait | history | output | providers | graph | whoami | completion | config | context | cluster-info | api-resources | api-versions | build | pull | run | start | stop | login | logout";

export function runnerShim(folder: string): string {
  return `#!/bin/bash -p
${ABOUT}${head(folder)}
report= asks=
case $name in
  node | nodejs) for one do case $one in --test | --test=* | --test-*) report=1 ;; [!-]*) break ;; esac; done ;;
  ${SHARERS.replaceAll(" ", " | ")})
    asks=1
    for one in "$@"; do
      case $one in
        -*) ;;
        ${LOOKS}) asks=; break ;;
        *) break ;;
      esac
    done ;;
  ${CHECKERS.replaceAll(" ", " | ")}) report=1 ;;
  *)
    case $name in make | gmake | just | task | rake | tox | nox | gradle | mvn) [ $# -gt 0 ] || report=1 ;; esac
    for one in "$@"; do
      case $one in
        ${SHARES}) asks=1 ;;
      esac
      case $one in
        ${CHECKS}) report=1 ;;
      esac
    done ;;
esac
[ -n "$report$asks" ] && [ -r "$gate/sessions" ] || run "$@"
${ASK}
physical .
in_workspace "$here" || run "$@"
if [[ -n $asks ]]; then
  about_here kind=ask
  ask "$@"
fi
[[ -n $report ]] || run "$@"

# The real program runs as a child, in the same process group and with the same input, so that its end can be reported.
find_real
# Signals are caught before it starts: the program may tell others that it is ready at once.
child= pending= interrupted=
trap 'interrupted=1' INT
trap : QUIT
for one in TERM HUP USR1 USR2; do trap "pending=$one; [[ -z \\$child ]] || kill -$one \\$child" "$one"; done
# Bash would tell that the program was killed, which is for its own shell to say.
exec 19>&2 2>/dev/null
(trap - INT QUIT; exec "$real" "$@" 2>&19 19>&-) <&0 &
child=$!
[[ -z $pending ]] || kill -"$pending" "$child"
wait "$child"
code=$?
while ((code > 128)) && kill -0 "$child"; do wait "$child"; code=$?; done
[[ $real == /* ]] || real=$here/$real
physical "\${real%/*}"
file=$here/$name
physical .
about_here kind=end "code=$code" "file=$file"
for one in PYTEST_ADDOPTS npm_config_if_present npm_config_script_shell GOFLAGS; do
  [[ -z \${!one+x} ]] || about+=("var=$one=\${!one}")
done
tell "$@"
if [[ -n $interrupted && $code == 130 ]]; then trap - INT; kill -INT $$; fi
exit "$code"
`;
}

/** Sourced by every bash that an agent's command starts: a login shell has reset PATH. */
export function environmentScript(folder: string): string {
  const bin = sh(`${folder}/bin`);
  return `# Conduct's exec gate: its folder comes first on PATH.
case $PATH in ${bin}:*) ;; *) PATH=${bin}:$PATH ;; esac
export PATH
`;
}

/** Publish, deploy or change something elsewhere. */
const SHARERS =
  "gh glab hub docker podman nerdctl buildah skopeo crane oras helm kubectl oc terraform tofu terragrunt pulumi aws gcloud gsutil az twine flit gem vsce ovsx jsr semantic-release release-it np goreleaser changeset vercel netlify wrangler flyctl fly heroku firebase serverless sls cdk sam eas surge snapcraft nuget dropdb dropuser psql mysql mysqladmin mongosh redis-cli rclone vault nomad argocd doctl eb minikube flyway";

/** Test runners, linters, type checkers and compilers. */
const CHECKERS =
  "pytest py.test pytest-3 jest vitest mocha ava tap jasmine karma cypress playwright c8 nyc tox nox nosetests nose2 behave rspec phpunit pest paratest behat cucumber ctest gotestsum ginkgo bats shellspec prove tsc vue-tsc eslint oxlint stylelint mypy pyright basedpyright flake8 pylint ruff biome golangci-lint rubocop shellcheck phpstan psalm";

/** Package managers and task runners: it depends on their words. */
const RUNNERS =
  "npm npx pnpm pnpx yarn bun bunx deno tsx ts-node python python3 uv uvx poetry pdm hatch pipenv rye coverage go cargo make gmake just task rake rails bundle gradle mvn sbt lein mill dotnet composer php artisan mix dart flutter melos swift zig turbo nx lerna ninja cmake bazel meson run-s run-p npm-run-all concurrently pre-commit maturin django-admin";

/** The programs with a shim besides git. File tools have none: a fork more for each would be felt. */
export const GATED_PROGRAMS: readonly string[] = ["node", "nodejs", ...`${SHARERS} ${CHECKERS} ${RUNNERS}`.split(" ")];

function sh(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
