/**
 * Commands in containers of the in-memory engine: the program of the image, and a few commands that nearly every image
 * has, as needed for demonstrations and tests of clients. The shell supports only these.
 */
import { PassThrough } from 'node:stream';
import { EngineFault } from '../engine.ts';
import type { Exec, ExecOutput, ExecRequest, RunningExec, TerminalSize } from '../exec.ts';
import { imageOf } from './images.ts';
import type { MemoryContainer, MemoryWorld } from './world.ts';

/** The environment of a command. */
type Process = {
  container: MemoryContainer;
  terminal: TerminalSize | undefined;
  print: (text: string, from?: ExecOutput['from']) => void;
  exit: (code: number) => void;
  /** Called with what is written to it; undefined at the end. */
  onInput: (read: (bytes: Uint8Array | undefined) => void) => void;
};

export function createExec(world: MemoryWorld, owner: string): Exec {
  return {
    async start(name, request) {
      const container = world.containers.get(name);
      if (container?.owner !== owner || container.phase !== 'running')
        throw new EngineFault('not-running', 'It is not running.');
      const program = programFor(world, container, request.command);
      if (!program) {
        const words = `${JSON.stringify(request.command[0])} cannot be run: its image does not contain this program.`;
        throw new EngineFault('bad-request', words);
      }
      return run(world, container, request, program);
    },
  };
}

function run(
  world: MemoryWorld,
  container: MemoryContainer,
  { terminal: requested }: ExecRequest,
  program: (process: Process) => void,
): RunningExec {
  const output = new PassThrough({ objectMode: true });
  const terminal = requested && { ...requested };
  const { starts } = container;
  const encoder = new TextEncoder();
  let code: number | undefined;
  let read: (bytes: Uint8Array | undefined) => void = () => {};
  const end = () => {
    world.readers.delete(look);
    output.end();
  };
  const look = () => {
    const isSame = world.containers.get(container.workload.name) === container && container.starts === starts;
    if (!isSame || container.phase !== 'running') end();
  };
  world.readers.add(look);
  program({
    container,
    terminal,
    print(text, from = 'stdout') {
      if (!output.writable) return;
      const written = terminal ? text.replaceAll('\n', '\r\n') : text;
      output.write({ from: terminal ? 'stdout' : from, bytes: encoder.encode(written) } satisfies ExecOutput);
    },
    exit(given) {
      if (!output.writable) return;
      code = given;
      end();
    },
    onInput: (reader) => {
      read = reader;
    },
  });
  return {
    output: output as AsyncIterable<ExecOutput>,
    async write(bytes) {
      if (output.writable) read(bytes);
      return output.writable;
    },
    endInput: () => read(undefined),
    async resize(size) {
      if (terminal) Object.assign(terminal, size);
    },
    exitCode: async () => code,
    [Symbol.asyncDispose]: async () => end(),
  };
}

function programFor(world: MemoryWorld, container: MemoryContainer, command: readonly string[]) {
  const [path = '', ...args] = command;
  if (path === imageOf(world, container.workload.image)?.entrypoint?.[0] && container.runCheck)
    return ({ print, exit }: Process) => {
      const { output = [], exitCode } = container.runCheck!([...command]);
      print(output.map((line) => `${line}\n`).join(''));
      if (exitCode !== undefined) exit(exitCode);
    };
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'sh') {
    const script = args[0] === '-c' ? (args[1] ?? '') : 'exec sh';
    return (process: Process) => (/(^|\s)exec sh$/.test(script) ? runShell(process) : runScript(process, script));
  }
  if (name === 'cat') return runCat;
  if (name === 'sleep') return () => {};
  return undefined;
}

function runCat({ print, exit, onInput }: Process): void {
  const decoder = new TextDecoder();
  onInput((bytes) => (bytes ? print(decoder.decode(bytes, { stream: true })) : exit(0)));
}

function runScript(process: Process, script: string): void {
  let code: number | undefined;
  for (const line of script.split(/[;\n]/)) code ??= runLine(process, line.trim());
  process.exit(code ?? 0);
}

const prompt = '$ ';

/** A terminal echoes its input. Without one, only the output of commands is printed. */
function runShell(process: Process): void {
  const { terminal, print, exit, onInput } = process;
  const decoder = new TextDecoder();
  let typed = '';
  if (terminal) print(prompt);
  onInput((bytes) => {
    if (!bytes) return exit(0);
    for (const key of decoder.decode(bytes, { stream: true })) {
      if (key === '\x04' && typed === '') return exit(0);
      if (key === '\x03') {
        typed = '';
        print(`^C\n${prompt}`);
      } else if (key === '\x7f') {
        if (typed !== '') print('\b \b');
        typed = typed.slice(0, -1);
      } else if (key === '\r' || key === '\n') {
        if (terminal) print('\n');
        const code = runLine(process, typed.trim());
        typed = '';
        if (code !== undefined) return exit(code);
        if (terminal) print(prompt);
      } else if (key >= ' ') {
        typed += key;
        if (terminal) print(key);
      }
    }
  });
}

/** @returns the status to end with, where the line ends its shell. */
function runLine({ container, terminal, print }: Process, line: string): number | undefined {
  const [name, ...words] = line.split(/\s+/);
  switch (name) {
    case '':
      return undefined;
    case 'exit':
      return Number(words[0] ?? 0);
    case 'echo': {
      const isError = words.at(-1) === '>&2';
      print(`${words.slice(0, isError ? -1 : undefined).join(' ')}\n`, isError ? 'stderr' : 'stdout');
      return undefined;
    }
    case 'env':
      for (const [variable, value] of Object.entries(container.workload.env)) print(`${variable}=${value}\n`);
      return undefined;
    case 'hostname':
      print(`${container.workload.name}\n`);
      return undefined;
    case 'stty':
      print(terminal ? `${terminal.rows} ${terminal.columns}\n` : 'stty: standard input: not a terminal\n');
      return undefined;
    default:
      print(`sh: ${name}: not found (the in-memory engine runs no programs)\n`, 'stderr');
      return undefined;
  }
}
