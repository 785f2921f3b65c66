/** Numbers of the system calls that the filter names, and the kernel's name for the processor. */
type Numbers = { readonly arch: number; readonly socket: number; readonly refused: readonly number[] };

/**
 * keyctl and its relatives: the session keyring of the gateway would be inherited. io_uring opens sockets past any filter.
 * bpf, perf_event_open, userfaultfd, kexec and open_by_handle_at: no program of an agent needs them, and exploits do.
 * The rest mounts or changes namespaces.
 */
const NUMBERS: { readonly [processor: string]: Numbers } = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    refused: [
      248, 249, 250, 425, 426, 427, 321, 298, 323, 246, 320, 304, 165, 166, 155, 428, 429, 430, 431, 432, 433, 442, 272,
      308,
    ],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    refused: [
      217, 218, 219, 425, 426, 427, 280, 241, 282, 104, 294, 265, 40, 39, 41, 428, 429, 430, 431, 432, 433, 442, 97,
      268,
    ],
  },
};

/** unix, IPv4, IPv6 and netlink. All others are refused: a network namespace does not cover AF_VSOCK, which reaches the host of a virtual machine. */
const FAMILIES = [1, 2, 10, 16] as const;

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
const [AT_NUMBER, AT_ARCH, AT_FIRST_ARGUMENT] = [0, 4, 16];
const [ALLOW, KILL, ERRNO] = [0x7fff0000, 0x80000000, 0x00050000];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** Calls of the x32 interface have other numbers, so that a filter by number would miss them. */
const X32 = 0x40000000;

type Step = { readonly code: number; readonly k: number; readonly yes?: number; readonly no?: number };

/** The seccomp program (classic BPF) for a processor; `undefined` where its system calls are not known. */
export function seccompFilter(processor: string): Buffer | undefined {
  const numbers = NUMBERS[processor];
  if (numbers === undefined) return undefined;
  const { arch, socket, refused } = numbers;
  const refuse = (error: number): Step => ({ code: RETURN, k: ERRNO | error });
  const steps: readonly Step[] = [
    { code: LOAD, k: AT_ARCH },
    { code: EQUAL, k: arch, yes: 1 },
    { code: RETURN, k: KILL },
    { code: LOAD, k: AT_NUMBER },
    { code: AT_LEAST, k: X32, no: 1 },
    refuse(ENOSYS),
    ...refused.flatMap((number): Step[] => [{ code: EQUAL, k: number, no: 1 }, refuse(EPERM)]),
    { code: EQUAL, k: socket, yes: 1 },
    { code: RETURN, k: ALLOW },
    { code: LOAD, k: AT_FIRST_ARGUMENT },
    ...FAMILIES.flatMap((family): Step[] => [
      { code: EQUAL, k: family, no: 1 },
      { code: RETURN, k: ALLOW },
    ]),
    refuse(EAFNOSUPPORT),
  ];
  return Buffer.concat(steps.map(encode));
}

function encode({ code, k, yes = 0, no = 0 }: Step): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
}
