/**
 * Builds images in a builder workload: a base image goes in, a build context goes in, an image comes out. Everything passes
 * through the standard input and output of commands, so that the builder needs no connection to the service.
 */
import { PassThrough, type Readable } from 'node:stream';
import type { Exec } from '../engine/exec.ts';
import { runInWorkload } from '../engine/run-in-workload.ts';
import type { Build } from '../folder/project.ts';
import { BuildFault } from './build-fault.ts';
import { buildFolder } from './builder-workload.ts';

export type BuilderParts = {
  exec: Exec;
  workload: string;
  /** Ends the current command of the builder. */
  stop: AbortSignal;
  /** What is left of the time for the whole build, in milliseconds. */
  leftMs: () => number;
};

export type Builder = {
  /** The id of an image that the builder has from an earlier build. */
  idOf(image: string): Promise<string | undefined>;
  /** Brings in a base image from a tar in the format of `docker save`. */
  load(image: string, archive: AsyncIterable<Uint8Array>): Promise<void>;
  /** Builds an image from a context in tar format. `onOutput` gets the lines of the build as they are written. */
  build(request: BuildRequest, onOutput: (text: string) => void): Promise<void>;
  /** Calls `read` with the image as a tar in the format of `docker save`. */
  save<T>(tag: string, read: (saved: Readable) => Promise<T>): Promise<T>;
};

export type BuildRequest = {
  tag: string;
  build: Pick<Build, 'args' | 'target' | 'secrets' | 'labels'>;
  /** Path of the Dockerfile in the context. */
  dockerfile: string;
  context: AsyncIterable<Uint8Array>;
};

/** Docker's resolver in every network of ours. Without it, buildah gives the steps of a build public resolvers. */
const engineResolver = '127.0.0.11';
const mostBytes = { output: 32 * 2 ** 20, image: 16 * 2 ** 30 };

const contextFolder = `${buildFolder}/context`;
const secretsFolder = `${buildFolder}/secrets`;

/** `$0` is the file with the variables; the words of buildah follow. No value is ever an argument of a program. */
const withVariables = 'set -a; . "$0"; set +a; exec buildah "$@"';

/** Replaces the context in `$1` by the tar on standard input, and removes the secrets in `$2`. One command takes 0.1 s. */
const newContext = 'rm -rf "$1" "$2"; mkdir -p "$1"; exec tar -x -C "$1" -f -';

/** Loads the image on standard input by way of the file `$1`, and names it `$2`. */
const loadImage =
  'set -e; cat > "$1"; id=$(buildah pull --quiet "docker-archive:$1" | tail -n 1); buildah tag "$id" "$2"; rm -f "$1"';

/** Writes standard input to the file `$1`. */
const toFile = ['sh', '-c', 'umask 077; mkdir -p "${1%/*}"; cat > "$1"', 'sh'];

/** All methods throw BuildFault. */
export function createBuilder({ exec, workload, stop, leftMs }: BuilderParts): Builder {
  type Running = Partial<Parameters<typeof runInWorkload>[1]>;

  async function run(what: string, command: readonly string[], running: Running = {}): Promise<void> {
    await runInWorkload(
      { what, command },
      {
        exec,
        workload,
        take() {},
        mostBytes: mostBytes.output,
        withinMs: Math.max(1, leftMs()),
        stop,
        fault: (message, said) => new BuildFault(message, { cause: said?.said }),
        ...running,
      },
    );
  }

  async function read(what: string, command: readonly string[]): Promise<string> {
    const pieces: Uint8Array[] = [];
    await run(what, command, { take: (piece) => void pieces.push(piece), mostBytes: 65_536 });
    return Buffer.concat(pieces).toString('utf8').trim();
  }

  async function put(path: string, text: string): Promise<void> {
    await run('writing a file', [...toFile, path], { input: once(text) });
  }

  return {
    async idOf(image) {
      const id = await read('listing images', ['buildah', 'images', '--quiet', '--no-trunc', '--', image]).catch(
        (error: unknown) => {
          stop.throwIfAborted();
          if (error instanceof BuildFault) return '';
          throw error;
        },
      );
      return id === '' ? undefined : id.split('\n')[0];
    },

    async load(image, archive) {
      const command = ['sh', '-c', loadImage, 'sh', `${buildFolder}/base.tar`, image];
      await run('loading the base image', command, { input: archive });
    },

    async build({ tag, build, dockerfile, context }, onOutput) {
      const receive = ['sh', '-c', newContext, 'sh', contextFolder, secretsFolder];
      await run('receiving the context', receive, { input: context });
      const variables = `${buildFolder}/variables`;
      await put(variables, variablesOf(build.args));
      const secrets: string[] = [];
      for (const secret of build.secrets) {
        if (!('value' in secret) || !/^[\w.-]+$/.test(secret.id)) throw unusable(secret.id);
        await put(`${secretsFolder}/${secret.id}`, secret.value);
        secrets.push('--secret', `id=${secret.id},src=${secretsFolder}/${secret.id}`);
      }
      const words = [
        ...['bud', '--layers', '--pull-never', '--format', 'docker', '--tag', tag],
        ...['--dns', engineResolver],
        ...['--file', `${contextFolder}/${dockerfile}`],
        ...Object.keys(build.args).flatMap((name) => ['--build-arg', name]),
        ...(build.target === undefined ? [] : ['--target', build.target]),
        ...Object.entries(build.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
        ...secrets,
      ];
      const hear = (piece: Uint8Array) => onOutput(Buffer.from(piece).toString('utf8'));
      await run('the build', ['sh', '-c', withVariables, variables, ...words, '--', contextFolder], {
        take: hear,
        takeError: hear,
      });
    },

    async save(tag, reading) {
      const saved = new PassThrough({ highWaterMark: 2 ** 20 });
      const taken = reading(saved);
      const command = ['buildah', 'push', '--quiet', '--', tag, 'docker-archive:/dev/stdout'];
      const write = async () => {
        await run('exporting the image', command, {
          mostBytes: mostBytes.image,
          take: async (piece) => {
            if (!saved.write(piece)) await new Promise<void>((resolve) => resumed(saved, resolve));
          },
        });
        saved.end();
      };
      const [result] = await Promise.all([
        taken,
        write().catch((error: Error) => {
          saved.destroy(error);
          throw error;
        }),
      ]);
      return result;
    },
  };
}

/** Once the reader has made room, or will not read any more. */
function resumed(stream: PassThrough, then: () => void): void {
  const done = () => {
    stream.off('drain', done);
    stream.off('close', done);
    then();
  };
  stream.on('drain', done);
  stream.on('close', done);
}

/** PURE. A shell script that sets the build arguments. Throws BuildFault for a name that is not a variable's. */
export function variablesOf(args: Readonly<Record<string, string>>): string {
  const lines = Object.entries(args).map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new BuildFault(`The build argument ${JSON.stringify(name.slice(0, 100))} has a name that is not valid.`, {
        hint: 'Use letters, digits and "_".',
      });
    return `${name}='${value.replaceAll("'", `'\\''`)}'\n`;
  });
  return lines.join('');
}

function unusable(id: string): BuildFault {
  return new BuildFault(
    `The build secret ${JSON.stringify(id.slice(0, 100))} cannot be used in a build on the server.`,
    {
      hint: 'Take it from a variable (environment: NAME), and use letters, digits, ".", "_" and "-" in its id.',
    },
  );
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
