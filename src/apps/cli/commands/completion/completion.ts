import type { CompletionArgs } from "../../declared/develop-commands.ts";
import { asTyped } from "../../line/invocation.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { FILES, suggest } from "./suggest.ts";

/**
 * Each script sends the words up to the cursor to `conduct completion SHELL -- WORDS` and gets one suggestion per line,
 * with its description after a tab. The line FILES asks for file names.
 */
const SCRIPTS = {
  bash: `# Conduct: completion for bash. Add to ~/.bashrc: eval "$(conduct completion bash)"
_conduct() {
  local value rest
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    case $value in
      ${FILES}) compopt -o default 2>/dev/null ;;
      *[:=]) compopt -o nospace 2>/dev/null; COMPREPLY+=("$value") ;;
      ?*) COMPREPLY+=("$value") ;;
    esac
  done < <("\${1/#\\~/$HOME}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _conduct conduct
`,
  zsh: `#compdef conduct
# Conduct: completion for zsh. Add to ~/.zshrc, after compinit: eval "$(conduct completion zsh)"
_conduct() {
  local line tab=$'\\t'
  local -a found
  for line in "\${(@f)$("\${words[1]/#\\~/$HOME}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ${FILES} ]]; then
      _files
    elif [[ $line == *$tab* ]]; then
      found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
    elif [[ -n $line ]]; then
      found+=("\${line//:/\\\\:}")
    fi
  done
  (( $#found )) && _describe -V conduct found
}
if [[ $funcstack[1] == _conduct ]]; then _conduct "$@"; else compdef _conduct conduct; fi
`,
  fish: `# Conduct: completion for fish. Save it: conduct completion fish > ~/.config/fish/completions/conduct.fish
function __conduct
    set -l words (commandline -opc) (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    for line in ($program completion fish -- $words[2..] 2>/dev/null)
        if test "$line" = ${FILES}
            __fish_complete_path (commandline -ct)
        else
            printf '%s\\n' $line
        end
    end
end
complete -c conduct -f -a '(__conduct)'
`,
};

const HOW = `
  Complete commands, options and ids with Tab. Add the line of your shell:

    bash   ~/.bashrc                   eval "$(conduct completion bash)"
    zsh    ~/.zshrc, after compinit    eval "$(conduct completion zsh)"
    fish   ~/.config/fish/config.fish  conduct completion fish | source

  To undo it, delete the line.

`;

/** `conduct completion SHELL` prints the script; with words after `--`, the suggestions for the last of them. */
export async function completion({ shell: given }: CompletionArgs, terminal: Terminal): Promise<Outcome> {
  const [shell = "", ...words] = given;
  if (shell === "") return done({ shells: Object.keys(SCRIPTS) }, asTyped(HOW, terminal.invocation));
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish")
    return badArgument(`there is no completion for '${shell}'`, "conduct completion bash, zsh or fish");
  if (words.length === 0) return done({ script: SCRIPTS[shell] }, SCRIPTS[shell]);
  const found = await suggest(words, shell, terminal.cwd);
  const lines = found.map(({ value, about }) => `${value}\t${about}`.trimEnd());
  return done({ suggestions: found }, lines.map((line) => `${line}\n`).join(""));
}
