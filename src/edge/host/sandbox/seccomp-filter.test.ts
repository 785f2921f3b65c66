import { expect, it } from "vitest";
import { seccompFilter } from "./find-sandbox.ts";

const [ALLOW, KILL, EPERM, ENOSYS, NO_FAMILY] = [0x7fff0000, 0x80000000, 0x50001, 0x50026, 0x50061];
const ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/** The kernel's interpreter, as far as the filter needs it. */
function decide(program: Buffer, call: { arch: number; number: number; first?: number }): number {
  const fields: { readonly [offset: number]: number } = { 0: call.number, 4: call.arch, 16: call.first ?? 0 };
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, yes, no, k] = [
      program.readUInt16LE(at),
      program[at + 2] ?? 0,
      program[at + 3] ?? 0,
      program.readUInt32LE(at + 4),
    ];
    if (code === 0x06) return k;
    if (code === 0x20) loaded = fields[k] ?? 0;
    if (code === 0x15) at += 8 * (loaded === k ? yes : no);
    if (code === 0x35) at += 8 * (loaded >= k ? yes : no);
  }
  throw new Error("the filter ends without an answer");
}

it.each([
  { what: "read", x64: 0, arm64: 63, answer: ALLOW },
  { what: "execve", x64: 59, arm64: 221, answer: ALLOW },
  { what: "keyctl", x64: 250, arm64: 219, answer: EPERM },
  { what: "io_uring_setup", x64: 425, arm64: 425, answer: EPERM },
  { what: "bpf", x64: 321, arm64: 280, answer: EPERM },
  { what: "unshare", x64: 272, arm64: 97, answer: EPERM },
  { what: "socket unix", x64: 41, arm64: 198, first: 1, answer: ALLOW },
  { what: "socket inet6", x64: 41, arm64: 198, first: 10, answer: ALLOW },
  { what: "socket vsock", x64: 41, arm64: 198, first: 40, answer: NO_FAMILY },
  { what: "socket alg", x64: 41, arm64: 198, first: 38, answer: NO_FAMILY },
  { what: "a call of the x32 interface", x64: 0x40000029, arm64: 0x40000029, first: 40, answer: ENOSYS },
])("SBX-20 the seccomp filter has the right verdict on $what", ({ answer, first, ...numbers }) => {
  for (const processor of ["x64", "arm64"] as const) {
    const program = seccompFilter(processor) ?? Buffer.alloc(0);
    const call = { arch: ARCH[processor], number: numbers[processor], first };
    expect(decide(program, call)).toBe(answer);
    expect(decide(program, { ...call, arch: 0x40000003 })).toBe(KILL);
  }
});

it("SBX-21 a processor with unknown system calls gets no seccomp filter", () => {
  expect(seccompFilter("mips")).toBeUndefined();
});
