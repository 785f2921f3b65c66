/** Caches and installed programs of tools, in a person's home. They can be made again. */
const CACHES = [
  "\\.(?:cache|npm|pnpm-store|yarn|bun|deno|nvm|volta|asdf|pyenv|rbenv|rustup|sdkman|ivy2|sbt|gradle|m2|nuget|cargo|gem)",
  "\\.(?:bundle|composer|cpanm?|opam|stack|cabal|hex|mix|pub-cache|cocoapods|electron|node-gyp|conan2?|cmake|julia)",
  "go/(?:bin|pkg)|Library/Caches|\\.local/(?:bin|lib|pipx|state)|\\.local/share/(?:pnpm|uv|virtualenvs?|pypoetry|mise|fnm)",
].join("|");
/** Folders under `~/.config` that hold credentials, or whose files the shell or the system runs. */
const RISKY_SETTINGS = [
  "gh|git|hub|glab|gcloud|op|sops|age|rclone|doctl|heroku|containers|github-copilot|stripe|flyctl|netlify|vercel|gnupg",
  "fish|zsh|nushell|powershell|autostart|systemd|environment\\.d|opencode|conduct",
].join("|");
const TOOL_CACHE = new RegExp(`^(?:~|/root)/(?:${CACHES})(?:/|$)`);
const TOOL_FILE = new RegExp(`^~/(?:\\.local/share/[\\w.-]|\\.config/(?!(?:${RISKY_SETTINGS})(?:/|$))[\\w.-])`);
const CREDENTIALS =
  /credential|token|secret|auth|keyring|keychain|settings(?:-security)?\.xml$|gradle\.properties$|npmrc$|cargo\/config|init\.(?:d|gradle)/i;

/** Tools write these files of a person's home all day, and agents may, too. */
export function isToolFile(path: string): boolean {
  return isToolCache(path) || (TOOL_FILE.test(path) && isPlain(path));
}

/** Deleting these loses nothing that a tool cannot fetch again. */
export function isToolCache(path: string): boolean {
  return TOOL_CACHE.test(path) && isPlain(path);
}

function isPlain(path: string): boolean {
  return !CREDENTIALS.test(path) && !/(?:^|\/)\.\.(?:\/|$)|[$`{[?]/.test(path);
}
