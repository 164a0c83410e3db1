/**
 * Which parts of block devices are written, as the kernel tells it: by an event when a write is done, in an instance of its
 * tracing that is ours alone. So whoever has read what was there before hears of it afterwards. What a process that was
 * killed has left is removed by the next one: the kernel removes none that is in use.
 */
import { randomUUID } from 'node:crypto';
import { constants, readSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRange } from './block-map.ts';
import { runProgram } from './volume-programs.ts';

/** The kernel does not tell all of them, here or now. */
export class NotFollowed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotFollowed';
  }
}

export type Write = ByteRange & {
  /** As the kernel numbers it, such as `7:2`. */
  device: string;
};

export type FollowedWrites = AsyncDisposable & {
  /** Those that were done since the last call, by now. The kernel has them in memory: it takes no time. */
  read(): Write[];
  /** Throws NotFollowed where some were told to nobody. */
  expectAll(): Promise<void>;
};

const tracing = '/sys/kernel/tracing';
const instances = join(tracing, 'instances');
const prefix = 'berth-writes-';
const event = join('events', 'block', 'block_rq_complete');

/** From now on. Throws NotFollowed where that cannot be had. */
export async function followWrites(devices: readonly string[]): Promise<FollowedWrites> {
  await using opening = new AsyncDisposableStack();
  try {
    await provideTracing();
    await removeLeftInstances();
    const instance = join(instances, `${prefix}${randomUUID()}`);
    await mkdir(instance);
    // What cannot be removed now goes as what was left.
    opening.defer(() => rmdir(instance).catch(() => {}));
    const pipe = await open(join(instance, 'trace_pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    opening.defer(() => pipe.close());
    await writeFile(join(instance, 'options', 'context-info'), '0');
    await writeFile(join(instance, event, 'filter'), filterOf(devices));
    await writeFile(join(instance, event, 'enable'), '1');
    opening.defer(() => writeFile(join(instance, event, 'enable'), '0'));
    const read = createReader(pipe.fd);
    const opened = opening.move();
    return {
      read,
      expectAll: () => expectAll(instance),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    throw new NotFollowed('the kernel does not tell who writes what', { cause: error });
  }
}

/** Hosts with systemd have it there. */
async function provideTracing(): Promise<void> {
  if ((await readdir(tracing)).length === 0) await runProgram(['mount', '-t', 'tracefs', 'tracefs', tracing]);
}

/** Of processes that are not there any more. */
export async function removeLeftInstances(): Promise<void> {
  for (const name of await readdir(instances).catch(() => []))
    if (name.startsWith(prefix)) await rmdir(join(instances, name)).catch(() => {});
}

/** What is discarded is used by no file afterwards. */
function filterOf(devices: readonly string[]): string {
  const ours = devices.map((device) => {
    const [major, minor] = device.split(':').map(Number) as [number, number];
    return `dev == ${major * 2 ** 20 + minor}`;
  });
  return `(${ours.join(' || ')}) && nr_sector > 0 && !(rwbs ~ "R*") && !(rwbs ~ "D*")`;
}

const sectorBytes = 512;
const line = /block_rq_complete: (\d+,\d+) \S+ \(.*?\) (\d+) \+ (\d+) /g;

/** PURE. `rest`: of a line that has not ended. */
export function parseWrites(text: string): { writes: Write[]; rest: string } {
  let end = 0;
  const writes = [...text.matchAll(line)].map((found) => {
    const [whole, device, sector, count] = found as unknown as [string, string, string, string];
    end = found.index + whole.length;
    const start = Number(sector) * sectorBytes;
    return { device: device.replace(',', ':'), start, end: start + Number(count) * sectorBytes };
  });
  return { writes, rest: text.slice(end) };
}

function createReader(pipe: number): () => Write[] {
  const buffer = Buffer.alloc(64 * 1024);
  let rest = '';
  return () => {
    const all: Write[] = [];
    for (;;) {
      const length = readSome(pipe, buffer);
      if (length === 0) return all;
      const read = parseWrites(rest + buffer.toString('latin1', 0, length));
      all.push(...read.writes);
      rest = read.rest;
    }
  };
}

function readSome(pipe: number, buffer: Buffer): number {
  try {
    return readSync(pipe, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

async function expectAll(instance: string): Promise<void> {
  const perProcessor = join(instance, 'per_cpu');
  const stats = (await readdir(perProcessor)).map((name) => readFile(join(perProcessor, name, 'stats'), 'utf8'));
  const hasLost = (await Promise.all(stats)).some((text) => lost.test(text));
  // Somebody else may have ended all tracing of the machine.
  const switches = [join(instance, 'tracing_on'), join(instance, event, 'enable')].map((path) =>
    readFile(path, 'utf8'),
  );
  const isOn = (await Promise.all(switches)).every((text) => text.trim() === '1');
  if (hasLost || !isOn) throw new NotFollowed('not all that was written was told');
}

const lost = /^(?:overrun|commit overrun|dropped events): [1-9]/m;
