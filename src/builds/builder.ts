/**
 * Builds images in a builder workload. It receives a build context and returns the layers that are not part of a base
 * image. All data passes through standard input and output of one command, so that the builder needs no connection to
 * the service.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import type { Exec } from '../engine/exec.ts';
import { runInWorkload } from '../engine/run-in-workload.ts';
import type { Build } from '../folder/project.ts';
import { type Entry, type Made, packEntries } from '../push/layers/folder-listing.ts';
import type { BaseImage } from './base-images.ts';
import { BuildFault } from './build-fault.ts';
import { buildFolder } from './builder-workload.ts';

export type BuilderParts = {
  exec: Exec;
  workload: string;
  isInGvisor: boolean;
  /** Ends the current command of the builder. */
  stop: AbortSignal;
  /** The remaining time for the whole build, in milliseconds. */
  leftMs: () => number;
};

export type BuildRequest = {
  build: Pick<Build, 'args' | 'target' | 'secrets' | 'labels'>;
  /** Path of the Dockerfile in the context. */
  dockerfile: string;
  context: readonly (Entry | Made)[];
  /** The images that the Dockerfile names, as it writes them. */
  bases: ReadonlyMap<string, Pick<BaseImage, 'id' | 'layers'>>;
  /** Folders in the builder with unpacked base images. */
  stores: readonly string[];
  /** The layer caches that images of this revision use. All others are removed. */
  caches: readonly string[];
};

export type Building<T> = {
  /** Gets the lines of the build as they are written. */
  onOutput: (text: string) => void;
  /** Gets a tar of the image in OCI layout, with its configuration in `config.json`. Layers of base images are empty. */
  read: (built: Readable) => Promise<T>;
};

/** Last, in the folder of an unpacked image. */
const completeMark = 'complete';

const maxBytes = { output: 32 * 2 ** 20, image: 16 * 2 ** 30 };

/**
 * `in` is the standard input: the context, the files of secrets, and a script that sets the build arguments, so that no
 * value is on a command line. The arguments here are buildah's. A layer that exists in `out` as an empty file is not
 * written, which applies to the layers of base images. The format of `out` has no health checks, so the configuration
 * is read from buildah.
 * Steps get the resolvers of the builder, because buildah would replace Docker's, on loopback, by public ones.
 */
const buildImage = `
set -e
cd ${buildFolder}
rm -rf in out
trap 'rm -rf in' EXIT
mkdir -p in/context in/secrets out/blobs/sha256
tar -x -C in -f -
for cache in storage*; do
  while read -r used; do [ "$used" = "$cache" ] && continue 2; done < in/caches
  rm -rf "$cache"
done
export CONTAINERS_STORAGE_CONF=${buildFolder}/in/storage.conf
while read -r layer; do : > "out/blobs/sha256/$layer"; done < in/layers
STORAGE_OPTS=$(cat in/stores)
export STORAGE_OPTS
while read -r key address; do [ "$key" != nameserver ] || set -- --dns "$address" "$@"; done < /etc/resolv.conf
(set -a; . in/variables; set +a; exec buildah bud "$@") >&2
buildah push --quiet --compression-level 1 built:1 oci:${buildFolder}/out:1 >&2
buildah inspect --type image --format '{{.Config}}' built:1 > out/config.json
tar -c -C out -f - config.json index.json blobs`;

/** Capabilities that buildah would give to steps. In a user namespace it has them, and in gVisor it does not. */
const missingInGvisor = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW'];

/** Unpacks the image on standard input into `$1`. */
const unpackImage = `
set -e
mkdir -p "$1"
cat > "$1/base.tar"
buildah --root "$1" --runroot /tmp/run pull --quiet "docker-archive:$1/base.tar"
rm "$1/base.tar"
sync -f "$1"
: > "$1/${completeMark}"`;

/** Prints the base images that are complete in `$1`. Removes the others, and those that are not among the other arguments. */
const listImages = `
set -e
mkdir -p "$1"
cd "$1"
shift
for image in *; do
  if [ -e "$image/${completeMark}" ]; then
    for used; do [ "$used" = "$image" ] && echo "$image" && continue 2; done
  fi
  rm -rf "$image"
done`;

/** Builds an image. Throws BuildFault. */
export async function buildIn<T>(
  { exec, workload, isInGvisor, stop, leftMs }: BuilderParts,
  { build, dockerfile, context, bases, stores, caches }: BuildRequest,
  { onOutput, read }: Building<T>,
): Promise<T> {
  const secrets = build.secrets.map((secret) => {
    if (!('value' in secret) || !/^[\w.-]+$/.test(secret.id)) throw unusable(secret.id);
    return secret;
  });
  const layers = [...bases.values()].flatMap((base) => base.layers.map(({ diffId }) => diffId.slice('sha256:'.length)));
  const input = packEntries([
    textFile('variables', variablesOf(build.args)),
    textFile('storage.conf', storageOf(cacheOf(build))),
    textFile('caches', caches.map((cache) => `${cache}\n`).join('')),
    textFile('stores', stores.map((store) => `overlay.imagestore=${store}`).join(',')),
    textFile('layers', layers.map((layer) => `${layer}\n`).join('')),
    ...secrets.map(({ id, value }) => textFile(`secrets/${id}`, value)),
    ...context.map((entry) => ({ ...entry, path: `context/${entry.path}` })),
  ]);
  const words = [
    ...['--layers', '--pull-never', '--format', 'docker', '--tag', 'built:1', '--file', `in/context/${dockerfile}`],
    ...(isInGvisor ? missingInGvisor.flatMap((name) => ['--cap-drop', name]) : []),
    ...Object.keys(build.args).flatMap((name) => ['--build-arg', name]),
    ...(build.target === undefined ? [] : ['--target', build.target]),
    ...Object.entries(build.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...secrets.flatMap(({ id }) => ['--secret', `id=${id},src=in/secrets/${id}`]),
    ...Array.from(bases, ([written, { id }]) => ['--build-context', `${written}=docker-image://${id.slice(7)}`]).flat(),
  ];
  const built = new PassThrough({ highWaterMark: 2 ** 20 });
  let outputBytes = 0;
  const running = async () => {
    await runInWorkload(
      { what: 'the build', command: ['sh', '-c', buildImage, 'sh', ...words, '--', 'in/context'] },
      {
        ...{ exec, workload, stop, input, maxBytes: maxBytes.image, withinMs: Math.max(1, leftMs()), fault },
        take: async (piece) => {
          if (built.destroyed) throw fault('The image was not read to its end.');
          if (!built.write(piece)) await new Promise<void>((resolve) => resumed(built, resolve));
        },
        takeError: (piece) => {
          outputBytes += piece.length;
          if (outputBytes > maxBytes.output) throw new BuildFault('The build wrote more output than is allowed.');
          onOutput(withNames(Buffer.from(piece).toString('utf8'), bases));
        },
      },
    );
    built.end();
  };
  const reading = read(built);
  const [result] = await Promise.all([
    reading,
    running().catch((error: Error) => {
      built.destroy(error);
      throw error;
    }),
  ]);
  return result;
}

/** Unpacks an image, a tar in the format of `docker save`, into a folder of the builder. Throws BuildFault. */
export async function unpackIn(
  { exec, workload, stop, leftMs }: BuilderParts,
  folder: string,
  saved: AsyncIterable<Uint8Array>,
): Promise<void> {
  await runInWorkload(
    { what: 'unpacking the base image', command: ['sh', '-c', unpackImage, 'sh', folder] },
    {
      ...{ exec, workload, stop, input: saved, maxBytes: maxBytes.output, withinMs: Math.max(1, leftMs()), fault },
      take() {},
    },
  );
}

/**
 * Unpacks base images in the folder of a builder that mounts none, unless an earlier build has done that, and removes all
 * others. Returns their folders. Throws BuildFault.
 */
export async function unpackAllIn(
  builder: BuilderParts,
  folder: string,
  bases: readonly { id: string; archive: string | undefined }[],
): Promise<string[]> {
  const { exec, workload, stop, leftMs } = builder;
  const names = bases.map(({ id }) => id.slice(7));
  let listed = '';
  await runInWorkload(
    { what: 'listing base images', command: ['sh', '-c', listImages, 'sh', folder, ...names] },
    {
      ...{ exec, workload, stop, maxBytes: maxBytes.output, withinMs: Math.max(1, leftMs()), fault },
      take: (piece) => {
        listed += Buffer.from(piece).toString('latin1');
      },
    },
  );
  const present = new Set(listed.split('\n'));
  for (const [at, name] of names.entries())
    if (!present.has(name)) {
      const archive = createReadStream(bases[at]!.archive!, { highWaterMark: 2 ** 20 });
      await unpackIn(builder, `${folder}/${name}`, archive);
    }
  return names.map((name) => `${folder}/${name}`);
}

function fault(message: string, said?: { said: string }): BuildFault {
  return new BuildFault(message, { cause: said?.said });
}

/** Calls `then` once the reader has made space, or has stopped reading. */
function resumed(stream: PassThrough, then: () => void): void {
  const done = () => {
    stream.off('drain', done);
    stream.off('close', done);
    then();
  };
  stream.on('drain', done);
  stream.on('close', done);
}

/** buildah names a base image by its id. */
function withNames(text: string, bases: BuildRequest['bases']): string {
  return Array.from(bases).reduce((named, [written, { id }]) => named.replaceAll(id.slice(7), written), text);
}

function textFile(path: string, content: string): Made {
  return { kind: 'made', path, mode: 0o600, content };
}

/**
 * PURE. The layer cache of a build, a folder of the volume. buildah looks layers up by the text of their instructions, which
 * is the same for other build arguments, so each set of arguments has a cache of its own.
 */
export function cacheOf({ args }: Pick<Build, 'args'>): string {
  const given = Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (given.length === 0) return 'storage';
  return `storage-${createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 32)}`;
}

/** `overlay` without a helper program: Linux 5.11 and newer mount it in a user namespace. */
function storageOf(cache: string): string {
  return `[storage]
driver = "overlay"
runroot = "${buildFolder}/run"
graphroot = "${buildFolder}/${cache}"
`;
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
