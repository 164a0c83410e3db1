/** A project has the same image from the server (`berth up --remote`) as from the user's Docker (`berth up`). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { createGunzip } from 'node:zlib';
import Docker from 'dockerode';
import { extract } from 'tar-stream';
import { type ExportedImage, readSavedImage } from '../../src/push/docker/exported-image.ts';
import { sourceArchive } from '../support/source-archive.ts';
import { base, setBuildStage } from './build-stage.ts';

const app = { 'server.mjs': 'console.log("hello")\n', 'lib/one.txt': 'one', 'lib/two.txt': 'two' };

/** The lines of each Dockerfile after its FROM. */
const projects: Record<string, string[]> = {
  'a server': ['WORKDIR /app', 'COPY server.mjs ./', 'EXPOSE 3000', 'CMD ["node", "server.mjs"]'],
  'a server of another user': [
    'WORKDIR /app',
    'COPY --chown=1000:1000 . .',
    'USER 1000',
    'ENTRYPOINT ["node"]',
    'CMD ["server.mjs"]',
  ],
  'a build with steps': [
    'WORKDIR /app',
    'COPY . .',
    'RUN node server.mjs > built.txt && chmod 640 built.txt',
    'CMD node .',
  ],
  'a build in two stages': [
    'WORKDIR /made',
    'COPY lib lib',
    'RUN cat lib/*.txt > all.txt',
    `FROM ${base}`,
    'COPY --from=0 /made/all.txt /srv/all.txt',
    'CMD ["cat", "/srv/all.txt"]',
  ],
  'arguments and variables': [
    'ARG GREETING=hi',
    'ENV GREETING=$GREETING OTHER="two words"',
    'RUN echo "$GREETING" > /greeting',
  ],
  'files that a later step removes': [
    'COPY lib /lib2',
    'RUN rm /lib2/one.txt && rm -r /opt/yarn* || true',
    'RUN mkdir /lib2/three',
  ],
  links: ['WORKDIR /links', 'RUN echo x > file && ln -s file soft && ln file hard && ln -s /nowhere dangling'],
  'labels, a volume and a stop signal': ['LABEL one=1 two="2 3"', 'VOLUME /data', 'STOPSIGNAL SIGINT', 'CMD ["node"]'],
  'a health check': [
    'COPY server.mjs /',
    'HEALTHCHECK --interval=5s --timeout=2s CMD node --version',
    'CMD ["node", "/server.mjs"]',
  ],
  'modes and owners': [
    'COPY lib /srv/lib',
    'RUN chmod 4755 /srv/lib/one.txt && chown 33:44 /srv/lib/two.txt && mkdir /srv/shared && chmod 1777 /srv/shared',
  ],
};

/** With COPY --chown, buildah also changes the owner of an existing target folder, and Docker 20.10 does not. */
const changed: Record<string, { path: string; onServer: string; onDocker: string }> = {
  'a server of another user': { path: '/app', onServer: '1000:1000', onDocker: '0:0' },
};

describe('the server and Docker build the same image of', () => {
  const newBuilds = setBuildStage();
  for (const [name, lines] of Object.entries(projects))
    test(name, async (t) => {
      const files = { ...app, Dockerfile: [`FROM ${base}`, ...lines].join('\n') };
      const folder = await mkdtemp(join(tmpdir(), 'berth-both-'));
      t.after(() => rm(folder, { recursive: true }));
      let onServer: Shape | undefined;
      await newBuilds().build(files, {}, async (image) => {
        onServer = await shapeOf(image);
      });
      const onDocker = await shapeOf(await buildWithDocker(files, folder));
      const { [name]: difference } = changed;
      if (difference) {
        const { path } = difference;
        onDocker.files[path] = onDocker.files[path]!.replace(difference.onDocker, difference.onServer);
      }
      assert.deepEqual(onServer, onDocker);
    });
});

async function buildWithDocker(files: Record<string, string>, folder: string): Promise<ExportedImage> {
  const docker = new Docker();
  const stream = await docker.buildImage((await sourceArchive(files)) as unknown as NodeJS.ReadableStream, {
    forcerm: true,
  });
  const lines = await new Promise<{ aux?: { ID: string } }[]>((resolve, reject) =>
    docker.modem.followProgress(stream, (error, output) => (error ? reject(error) : resolve(output))),
  );
  const image = docker.getImage(lines.findLast(({ aux }) => aux)!.aux!.ID);
  try {
    return await readSavedImage((await image.get()) as Readable, folder);
  } finally {
    await image.remove();
  }
}

type Shape = { config: object; files: Record<string, string> };

/** How a container starts, and what the layers after those of the base do to each path. Without any date. */
async function shapeOf({ config, layers }: ExportedImage): Promise<Shape> {
  const { config: how } = JSON.parse(config.toString('utf8')) as { config: Record<string, object> };
  delete (how.Labels as Record<string, string> | undefined)?.[ofBuildah.label];
  const baseLayers = (await new Docker().getImage(base).inspect()).RootFS!.Layers!.length;
  const files: Record<string, string> = {};
  for (const { file, compression } of layers.slice(baseLayers)) {
    const tar = extract();
    const plain = createReadStream(file);
    (compression === 'gzip' ? plain.pipe(createGunzip()) : plain).pipe(tar);
    for await (const { header, ...entry } of entriesOf(tar)) {
      if (ofBuildah.paths.has(pathOf(header.name))) continue;
      const { name, type, mode, uid, gid, linkname } = header;
      // Marks of removed files have no content and no mode of their own.
      files[pathOf(name)] = name.includes('/.wh.')
        ? 'removed'
        : `${type} ${mode!.toString(8)} ${uid}:${gid} ${linkname ?? entry.content}`;
    }
  }
  const set = Object.entries(how).filter(([key, value]) => started.has(key) && value && Object.keys(value).length > 0);
  return { config: Object.fromEntries(set.sort()), files };
}

function pathOf(name: string): string {
  return `/${name.replace(/\/$/, '')}`;
}

/** Fields of the configuration that decide how a container starts. */
const started = new Set([
  ...['Env', 'Cmd', 'Entrypoint', 'WorkingDir', 'User', 'ExposedPorts', 'Labels', 'Healthcheck', 'Volumes'],
  ...['StopSignal', 'Shell'],
]);

/** A label, and mount points of buildah's steps, which engines cover with files of their own. */
const ofBuildah = {
  label: 'io.buildah.version',
  paths: new Set(['/etc', '/etc/hostname', '/etc/hosts', '/etc/resolv.conf', '/run']),
};

async function* entriesOf(tar: ReturnType<typeof extract>) {
  for await (const entry of tar) {
    const hash = createHash('sha256');
    for await (const piece of entry) hash.update(piece as Buffer);
    yield { header: entry.header, content: hash.digest('hex').slice(0, 12) };
  }
}
