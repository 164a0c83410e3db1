/**
 * PURE. Makes programs for x86 that ask the kernel for system calls by number, as 64-bit and as 32-bit programs do: a
 * filter of system calls knows them by name, and what it lets through differs between the two.
 */

/** Programs of either kind run on a 64-bit kernel. */
export type Abi = 'x86_64' | 'x86';

/** The encoding of what is needed here (Intel SDM, volume 2), with the calls' own numbers (syscall_64.tbl, syscall_32.tbl). */
const abis = {
  x86_64: {
    machine: 0x3e,
    /** `mov r64, imm32`, sign-extended; the number in rax, arguments in rdi, rsi, rdx, r10, r8, r9. */
    number: [0x48, 0xc7, 0xc0],
    parameters: [0xc7, 0xc6, 0xc2]
      .map((register) => [0x48, 0xc7, register])
      .concat([0xc2, 0xc0, 0xc1].map((register) => [0x49, 0xc7, register])),
    call: [0x0f, 0x05],
    /** `mov rsi, rsp` */
    secondIsStack: [0x48, 0x89, 0xe6],
    write: 1,
    exit: 60,
  },
  x86: {
    machine: 0x03,
    /** `mov r32, imm32`; the number in eax, arguments in ebx, ecx, edx, esi, edi, ebp. */
    number: [0xb8],
    parameters: [0xbb, 0xb9, 0xba, 0xbe, 0xbf, 0xbd].map((move) => [move]),
    call: [0xcd, 0x80],
    /** `mov ecx, esp` */
    secondIsStack: [0x89, 0xe1],
    write: 4,
    exit: 1,
  },
} as const;

/** Two kinds of arguments: small numbers, and invalid ones. */
const values = [1, -1];
const EPERM = 1;
const ENOSYS = 38;

/**
 * An ELF program that makes each call with each kind of arguments, writes the numbers of those that were neither
 * refused (EPERM) nor unknown (ENOSYS) to its standard output, 4 bytes each, and exits with 0.
 */
export function callingProgram(abi: Abi, numbers: readonly number[]): Buffer {
  const { call, exit, number, parameters } = abis[abi];
  const calls = numbers.flatMap((which) =>
    values.flatMap((value) => [
      ...parameters.flatMap((parameter) => [...parameter, ...int32(value)]),
      ...[...number, ...int32(which), ...call],
      ...unlessRefused(reporting(abi, which)),
    ]),
  );
  const end = [...parameters[0]!, ...int32(0), ...number, ...int32(exit), ...call];
  return elf(abis[abi].machine, abi === 'x86_64', Buffer.from([...calls, ...end]));
}

/** `cmp eax, -error; je past what follows`, for both errors. */
function unlessRefused(code: number[]): number[] {
  const step = 5;
  const skip = (error: number, bytes: number) => [0x83, 0xf8, 0x100 - error, 0x74, bytes];
  return [...skip(EPERM, step + code.length), ...skip(ENOSYS, code.length), ...code];
}

/** `push number; write(1, sp, 4); pop` */
function reporting(abi: Abi, which: number): number[] {
  const { call, number, parameters, secondIsStack, write } = abis[abi];
  const output = [...parameters[0]!, ...int32(1), ...secondIsStack, ...parameters[2]!, ...int32(4)];
  return [0x68, ...int32(which), ...output, ...number, ...int32(write), ...call, 0x58];
}

/** One segment, read and run, that holds header and code. */
function elf(machine: number, isWide: boolean, code: Buffer): Buffer {
  const base = 0x400000;
  const headers = isWide ? 64 + 56 : 52 + 32;
  const size = headers + code.length;
  const word = (value: number) => (isWide ? [...int32(value), ...int32(0)] : int32(value));
  const half = (value: number) => [value & 0xff, value >> 8];
  const identity = [0x7f, 0x45, 0x4c, 0x46, isWide ? 2 : 1, 1, 1, ...Array(9).fill(0)];
  const fileHeader = [
    ...[...identity, ...half(2), ...half(machine), ...int32(1)],
    ...[...word(base + headers), ...word(isWide ? 64 : 52), ...word(0), ...int32(0)],
    ...[isWide ? 64 : 52, isWide ? 56 : 32, 1, 0, 0, 0].flatMap(half),
  ];
  const readAndRun = int32(5);
  const place = [...word(0), ...word(base), ...word(base), ...word(size), ...word(size)];
  const load = int32(1);
  const segment = isWide
    ? [...load, ...readAndRun, ...place, ...word(0x1000)]
    : [...load, ...place, ...readAndRun, ...word(0x1000)];
  return Buffer.concat([Buffer.from([...fileHeader, ...segment]), code]);
}

function int32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return [...bytes];
}
