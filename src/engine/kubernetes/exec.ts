/**
 * Commands that users run in a pod. A cluster leaves them running when the client disconnects and cannot end one. A
 * second program in the same container ends the command, on request or when its connection breaks. So a command ends
 * with its Berth process, however that process ends.
 */
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import { reasonNotStartable } from '../check-message.ts';
import { EngineFault } from '../engine.ts';
import type { Exec, ExecOutput, ExecRequest, RunningExec, TerminalSize } from '../exec.ts';
import { type Cache, findPods, isRunning } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { commandInShell, endInShell, messageEnd, messageStart, missingDd, startByte } from './exec-scripts.ts';
import { ClusterRefusal, clusterUnresponsive, faultOf } from './faults.ts';
import { containerName } from './manifests/workload.ts';
import { namespaceName } from './names.ts';
import type { PodConnection } from './pod-connection.ts';
import type { PodAddress } from './pod-programs.ts';

/** A start takes 0.2 s, seconds on a busy node. */
const patienceMs = 30_000;

/** Larger inputs are sent in several pieces. */
const longestPiece = 1024 * 1024;

const line = Buffer.from('\n');
const noMore = Buffer.from('0\n');
/** Signals the end of input to a terminal. */
const endOfInput = Buffer.from('\x04');

type Connect = (pod: PodAddress, command: readonly string[], terminal?: TerminalSize) => Promise<ExecConnection>;

export function createExec(cluster: Pick<Cluster, 'connect'>, cache: Cache): Exec {
  const connect: Connect = async (...requested) => {
    try {
      return readConnection(await cluster.connect(...requested));
    } catch (error) {
      throw faultOfConnection(error);
    }
  };
  return {
    async start(name, request) {
      const pod = podOf(cache, name);
      if (!pod) throw notRunning();
      return await begin(pod, request, connect);
    },
  };
}

async function begin(pod: PodAddress, { command, terminal }: ExecRequest, connect: Connect): Promise<RunningExec> {
  const program = await connect(pod, commandInShell(command, terminal !== undefined), terminal);
  let end: (() => Promise<void>) | undefined;
  try {
    const said = await program.until(messageEnd);
    const session = Number(said);
    if (!(session > 0)) throw await notStarted(command, said, program);
    end = await watchOver(pod, session, connect);
    await program.send(line);
    await program.until(startByte);
    return running(program, terminal !== undefined, end);
  } catch (error) {
    program.close();
    await end?.();
    throw error;
  }
}

function running(program: ExecConnection, hasTerminal: boolean, end: () => Promise<void>): RunningExec {
  return {
    output: program.rest(),
    async write(bytes) {
      if (hasTerminal) return await program.send(bytes);
      let isTaken = true;
      for (let at = 0; at < bytes.length && isTaken; at += longestPiece) {
        const piece = bytes.subarray(at, at + longestPiece);
        isTaken = await program.send(Buffer.concat([Buffer.from(`${piece.length}\n`), piece]));
      }
      return isTaken;
    },
    endInput: () => void program.send(hasTerminal ? endOfInput : noMore),
    resize: program.resize,
    exitCode: async () => (await program.end).code,
    async [Symbol.asyncDispose]() {
      program.close();
      await end();
    },
  };
}

/** Resolves when the program that can end the session is running. Returns the function that ends it. */
async function watchOver(pod: PodAddress, session: number, connect: Connect): Promise<() => Promise<void>> {
  const first = await connect(pod, endInShell(session));
  const began = await first.until(messageEnd);
  if (began === '') {
    first.close();
    throw new EngineFault('unavailable', clusterUnresponsive);
  }
  return async () => {
    // The program may have been killed in the container, or its connection may be broken.
    if ((await sendEnd(first)) || (await sendEnd(await connect(pod, endInShell(session, began)).catch(unlessGone))))
      return;
    throw new EngineFault('unavailable', clusterUnresponsive);
  };
}

/** @returns whether all possible processes were killed. Processes of users other than the container's cannot be. */
async function sendEnd(ending: ExecConnection | undefined): Promise<boolean> {
  if (!ending) return true;
  await ending.send(line);
  await ending.until(undefined);
  const { code } = await ending.end;
  ending.close();
  return code !== undefined && code <= 1;
}

/** If the container has ended, all of its processes have ended. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof EngineFault && error.kind === 'not-running')) throw error;
}

type ExecConnection = Omit<PodConnection, 'output'> & {
  /** Returns the output up to a byte, which is left out, or to its end. */
  until(mark: number | undefined): Promise<string>;
  /** The output after that. */
  rest(): AsyncIterable<ExecOutput>;
};

function readConnection({ output, ...connection }: PodConnection): ExecConnection {
  const pieces = output[Symbol.asyncIterator]();
  let left: ExecOutput | undefined;
  const next = async () => {
    const piece = left ?? (await pieces.next().catch(() => ({ value: undefined }))).value;
    left = undefined;
    return piece as ExecOutput | undefined;
  };
  return {
    ...connection,
    async until(mark) {
      const late = setTimeout(connection.close, patienceMs);
      let text = '';
      for (let piece = await next(); piece; piece = await next()) {
        const { from, bytes } = piece;
        if (from === 'stderr') continue;
        const end = mark === undefined ? -1 : bytes.indexOf(mark);
        text += Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('latin1');
        if (end !== -1 && end + 1 < bytes.length) left = { from, bytes: bytes.subarray(end + 1) };
        if (end !== -1 || text.length > maxOutput) break;
      }
      clearTimeout(late);
      return text.slice(text.lastIndexOf(messageStart) + 1);
    },
    async *rest() {
      for (let piece = await next(); piece; piece = await next()) yield piece;
    },
  };
}

const maxOutput = 4096;

async function notStarted(command: readonly string[], said: string, program: ExecConnection): Promise<EngineFault> {
  if (said === missingDd)
    return refused('Its image has no "dd", without which no command gets its input on a cluster.');
  if (said === '') {
    const { words } = await program.end;
    if (words === undefined) return new EngineFault('unavailable', clusterUnresponsive);
    return refused('Its image has no shell, by which commands are started and ended on a cluster.');
  }
  return refused(`${JSON.stringify(command[0]?.slice(0, 200))} cannot be run: ${reasonNotStartable(said)}.`);
}

function refused(words: string): EngineFault {
  return new EngineFault('bad-request', words);
}

function notRunning(cause?: unknown): EngineFault {
  return new EngineFault('not-running', 'It is not running.', { cause });
}

/** If a pod or container has just ended, the cluster responds with one of several statuses. */
function faultOfConnection(error: unknown): unknown {
  const status = Number(/^Unexpected server response: (\d+)$/.exec((error as Error).message)?.[1]);
  if ([401, 403, 429, 503].includes(status)) return faultOf(new ClusterRefusal(status, ''));
  return status > 0 ? notRunning(error) : new EngineFault('unavailable', clusterUnresponsive, { cause: error });
}

/** Where it runs now. */
function podOf(cache: Cache, name: WorkloadName): PodAddress | undefined {
  cache.check();
  const found = findPods(cache, name);
  const pod = found?.pods.find(isRunning);
  return pod && { namespace: namespaceName(found!.deploymentId), pod: pod.metadata.name, container: containerName };
}
