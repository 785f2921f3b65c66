import { describe, expect, it } from "vitest";
import { patchedFiles } from "../shared/tool-args.ts";
import { recordedEvent } from "./test/recorded.ts";
import { codexShellAccess, mapCall, shellWanted, toolName } from "./tool-map.ts";

const place = { root: "/workspace", cwd: "/workspace" };
const use = (name: string, command: string) => ({ id: "c", name, input: { command } });

describe("mapCall", () => {
  it.each([
    ["PreToolUse-exec", "shell", { command: "cat a.txt" }, [{ path: "a.txt", access: "read" }]],
    ["PreToolUse-apply_patch", "write_file", { path: "n.txt", content: "v1\n" }, [{ path: "n.txt", access: "write" }]],
    ["PreToolUse-view_image", "read_file", { path: "a.png" }, undefined],
    ["PreToolUse-mcp__demo__echo", "demo/echo", { text: "hi" }, undefined],
    ["PreToolUse-spawn_agent", "task", { message: "say hi" }, undefined],
    ["PreToolUse-get_goal", "codex/get_goal", {}, undefined],
  ])("%s is %s", (name, tool, args, paths) => {
    const call = mapCall(recordedEvent("PreToolUse", name).use, place);
    expect(call).toMatchObject({ tool, args, native: { runtime: "codex" } });
    expect(call.paths).toEqual(paths);
  });

  it("Conduct's own tools have their plain names", () => {
    const call = mapCall({ id: "c", name: "mcp__conduct__read_result", input: { handle: "r_1" } }, place);
    expect(call).toMatchObject({ tool: "read_result", native: { server: "conduct", name: "read_result" } });
  });

  it.each([
    ["*** Update File: a.txt\n@@\n-x\n+y", "edit_file", ["a.txt"], []],
    ["*** Delete File: a.txt", "edit_file", ["a.txt"], []],
    ["*** Update File: a.txt\n*** Move to: b.txt\n@@\n-x\n+y", "edit_file", ["a.txt", "b.txt"], ["write_file"]],
    ["*** Add File: a.txt\n+x\n*** Update File: b.txt\n@@\n-x\n+y", "edit_file", ["a.txt", "b.txt"], ["write_file"]],
    ["*** Add File: a.txt\n+x\n*** Add File: b.txt\n+y", "write_file", ["a.txt", "b.txt"], []],
  ])("the patch %j is %s on %j", (body, tool, paths, actions) => {
    const call = mapCall(use("apply_patch", `*** Begin Patch\n${body}\n*** End Patch\n`), place);
    expect(call).toMatchObject({ tool, actions, args: { path: paths[0] } });
    expect(call.paths).toEqual(paths.map((path) => ({ path, access: "write" })));
  });

  it("a call in another folder says so, and names its files from there", () => {
    const call = mapCall(use("Bash", "cat a.txt"), { root: "/workspace", cwd: "/workspace/it's" });
    expect(call.args).toEqual({ command: "cd '/workspace/it'\\''s' && cat a.txt" });
    expect(call.paths).toEqual([{ path: "/workspace/it's/a.txt", access: "read" }]);
  });

  it.each([
    ["Bash", { command: ["bash", "-lc", "git push -f"] }, "git push -f"],
    ["shell", { command: ["git", "push", "-f"] }, "git push -f"],
    ["exec_command", { cmd: "git push -f" }, "git push -f"],
    ["Bash", { command: 3 }, null],
  ])("CDX-60 the command of %s with %j is read as the line it runs", (name, input, command) => {
    expect(mapCall({ id: "c", name, input }, place)).toMatchObject({ tool: "shell", args: { command } });
  });

  it("in a shell of the model's choice nothing is proven", () => {
    const call = mapCall(use("Bash", "cat a.txt"), { ...place, shell: "/bin/true" });
    expect(call).toMatchObject({ args: { command: "cd '/workspace' && '/bin/true' -c 'cat a.txt'" }, proves: [] });
    expect(shellWanted('{"cmd":"x","shell":"/bin/true"}')).toBe("/bin/true");
    expect(shellWanted('{"cmd":"x"}')).toBeUndefined();
    expect(shellWanted("{bad")).toBeUndefined();
  });
});

describe("codexShellAccess", () => {
  it.each([
    ["cat a.txt", ["a.txt"]],
    ["cat -n 'a b.txt' c.txt", ["a b.txt", "c.txt"]],
    ["nl -ba a.txt", ["a.txt"]],
    ["head a.txt", ["a.txt"]],
    ["head -n 20 a.txt", ["a.txt"]],
    ["tail -n +5 a.txt", ["a.txt"]],
    ["tail -100 a.txt", ["a.txt"]],
    ["sed -n '1,200p' a.txt", ["a.txt"]],
    ["sed -n 5p a.txt", ["a.txt"]],
    ["cat /etc/passwd", ["/etc/passwd"]],
  ])("%j proves a read of %j", (command, files) => {
    expect(codexShellAccess(command)).toEqual({
      paths: files.map((path) => ({ path, access: "read" })),
      unclear: [],
      actions: ["read_file"],
      proves: ["read_file"],
    });
  });

  it.each([
    "cat a.txt | head -1",
    "cat a.txt; true",
    "cat a.txt || true",
    "cat *.txt",
    "cat $FILE",
    "cat -",
    "cat",
    "head -n 0 a.txt",
    "head -c 0 a.txt",
    "tail -f a.txt",
    "sed -n '' a.txt",
    "sed -n 'w out' a.txt",
    "sed -i s/a/b/ a.txt",
    "echo cat a.txt",
    "X=1 cat a.txt",
    "cat $(ls)",
    "cat 'a.txt",
  ])("%j proves no read", (command) => {
    expect(codexShellAccess(command).proves).not.toContain("read_file");
  });

  it.each([
    ["echo x > a.txt", ["a.txt"], ["write_file"]],
    ["echo x >> a.txt", ["a.txt"], ["write_file"]],
    ["cat a.txt > b.txt", ["b.txt"], ["write_file"]],
    ["make && echo x > a.txt", ["a.txt"], []],
    ["echo x 2>&1 > /dev/null", [], []],
    ["echo x > /dev/stderr", [], []],
  ])("%j writes %j and proves %j", (command, files, proves) => {
    const access = codexShellAccess(command);
    const written = access.paths.filter((path) => path.access === "write").map(({ path }) => path);
    expect(written).toEqual(files);
    expect(access.proves).toEqual(proves);
    if (files.length > 0) expect(access.actions).toContain("write_file");
  });

  it("a patch in a heredoc is gated as an edit and proves nothing", () => {
    const access = codexShellAccess(
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\nEOF",
    );
    expect(access).toMatchObject({ actions: ["write_file", "edit_file"], proves: [] });
    expect(access.paths).toContainEqual({ path: "a.txt", access: "write" });
    expect(codexShellAccess("grep '*** Begin Patch' notes.md").actions).toEqual([]);
  });
});

describe("patchedFiles", () => {
  it("gives the whole text of an added file, and none of another", () => {
    const patch = "*** Begin Patch\n*** Add File: a\n+1\n+\n+3\n*** Update File: b\n@@\n-x\n+y\n*** End Patch\n";
    expect(patchedFiles(patch)).toEqual([
      { change: "add", path: "a", content: "1\n\n3\n" },
      { change: "update", path: "b" },
    ]);
    expect(patchedFiles("no patch")).toEqual([]);
  });
});

it("NAME-1 the model sees the shell as exec_command and both write tools as apply_patch", () => {
  expect(["shell", "write_file", "edit_file", "read_file", "save_memory"].map(toolName)).toEqual([
    "exec_command",
    "apply_patch",
    "apply_patch",
    "read_file",
    "save_memory",
  ]);
});
