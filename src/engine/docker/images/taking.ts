/** The two ways in which the engine takes an image from the gate: it pulls it, or it loads it as one archive. */
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { pullFault } from './pull-fault.ts';
import type { PullLine } from './pull-progress.ts';

/** How long an engine may say nothing: unpacking a large layer takes a while. A registry's silence ends at the gate. */
const engineMs = 600_000;

export type Taking = {
  image: string;
  heard: (line: PullLine) => void;
  signal: AbortSignal;
};

type Answering = Promise<NodeJS.ReadableStream>;

/** Throws EngineFault. */
export async function takeByPull(
  docker: Docker,
  {
    reference,
    auth,
    ...taking
  }: Taking & { reference: string; auth: { username: string; password: string; serveraddress: string } },
): Promise<void> {
  await take(docker, taking, (abortSignal) => docker.pull(reference, { authconfig: auth, abortSignal }));
}

/** What is cut off leaves nothing on the engine. Throws EngineFault. */
export async function takeByLoad(docker: Docker, archive: Readable, taking: Taking): Promise<void> {
  await take(docker, taking, (abortSignal, waitOn) => {
    // While it comes, the engine says nothing.
    const watched = async function* () {
      for await (const piece of archive) {
        waitOn();
        yield piece;
      }
    };
    const sent = Readable.from(watched(), { objectMode: false });
    return docker.loadImage(sent, { _query: { quiet: '0' }, abortSignal });
  });
}

async function take(
  docker: Docker,
  { image, heard, signal }: Taking,
  begin: (abortSignal: AbortSignal, waitOn: () => void) => Answering,
): Promise<void> {
  const silent = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const waitOn = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), engineMs);
  };
  waitOn();
  try {
    const stream = await begin(AbortSignal.any([silent.signal, signal]), waitOn);
    await follow(docker, stream, (line) => {
      heard(line);
      waitOn();
    });
  } catch (error) {
    throw pullFault(error, image);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the answer to its end, and throws what it says went wrong: once it has begun, no status tells of it. */
function follow(docker: Docker, stream: NodeJS.ReadableStream, read: (line: PullLine) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error) => (error ? reject(error) : resolve()),
      (line: PullLine) => (line.error === undefined ? read(line) : reject(new Error(line.error))),
    );
  });
}
