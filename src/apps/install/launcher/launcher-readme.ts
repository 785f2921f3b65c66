/** The text of `CONDUCT_HOME/bin/README`: how to get rid of Conduct when Conduct itself is gone. */
export const LAUNCHER_README = `This folder belongs to Conduct. Coding runtimes start the program \`conduct\` in it.

If Conduct was moved or deleted, install it again and run \`conduct init RUNTIME\` (for example \`conduct init codex\`).

To remove Conduct from a runtime by hand:

claude-code  ~/.claude/settings.json: delete the hooks whose url has /hooks/claude-code or whose command ends in "# conduct"
             ~/.claude.json: delete "conduct" under "mcpServers"
codex        ~/.codex/hooks.json: delete the hooks whose command has "The Conduct hook did not answer"
             ~/.codex/config.toml: delete the lines that end in "# conduct init codex"
opencode     delete ~/.config/opencode/plugin/conduct.js
pi           delete ~/.pi/agent/extensions/conduct.ts
openclaw     ~/.openclaw/openclaw.json: delete "conduct" under "plugins.entries" and this folder under "plugins.load.paths"
acp, mcp     delete the entry that starts this program from your editor's or client's settings

The files as they were before Conduct came are in the folder init, next to this one.
`;
