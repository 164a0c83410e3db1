/** Pulls from the reference implementation of the protocol, as Debian has it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type Docker from 'dockerode';
import { createTagCheck } from '../../src/control/visit/tag-check.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { EngineFault } from '../../src/engine/engine.ts';
import type { ImageFault } from '../../src/images/image-fault.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { type DebianRegistry, debianLogin, startDebianRegistry } from '../support/debian-registry.ts';
import { openTestImages, removeBrought } from '../support/images.ts';
import { startTokenServer } from '../support/token-server.ts';
import { networkPool } from './docker-contractor.ts';
import { programImage } from './image.ts';

const imageType = 'application/vnd.oci.image.manifest.v1+json';

describe("docker engine: images of Debian's registry", () => {
  let docker: Docker;
  let engine: DockerEngine;
  let open: DebianRegistry;
  let closed: DebianRegistry;
  let opened: Awaited<ReturnType<typeof openTestImages>>;

  before(async () => {
    docker = await connectDocker();
    [open, closed] = await Promise.all([
      startDebianRegistry({ kind: 'everybody' }),
      startDebianRegistry({ kind: 'login' }),
    ]);
    opened = await openTestImages([open.host, closed.host]);
    engine = createDockerEngine({ docker, owner: 'test-debian', networkPool, images: opened.images });
  });
  after(async () => {
    await removeBrought(docker, open.host, closed.host);
    await opened?.[Symbol.asyncDispose]();
    await open?.[Symbol.asyncDispose]();
    await closed?.[Symbol.asyncDispose]();
  });

  /** Pushes the program of the contract, for this processor or another; answers its descriptor. */
  async function push(registry: DebianRegistry, architecture: string, says: string, repository = 'team/app') {
    const { layer, config } = await programImage();
    const diffId = digestOf(layer);
    const described = {
      architecture,
      os: 'linux',
      config: { ...config, Labels: { says } },
      rootfs: { type: 'layers', diff_ids: [diffId] },
    };
    const manifest = {
      schemaVersion: 2,
      mediaType: imageType,
      config: {
        mediaType: 'application/vnd.oci.image.config.v1+json',
        ...(await registry.pushBlob(repository, Buffer.from(JSON.stringify(described)))),
      },
      layers: [
        {
          mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
          ...(await registry.pushBlob(repository, gzipSync(layer))),
        },
      ],
    };
    const digest = await registry.pushManifest(repository, says, manifest);
    const platform = { os: 'linux', architecture };
    return { mediaType: imageType, digest, size: Buffer.byteLength(JSON.stringify(manifest)), platform };
  }

  const check = async (image: string, more = {}) =>
    (await createTagCheck({ images: opened.images, engine })('x', [{ image, ...more }]))[0];

  test('a tag is what its registry says, is pulled, and is there by its digest', async () => {
    const { Arch: architecture } = await docker.version();
    const { digest } = await push(open, architecture, 'one');
    const image = `${open.host}/team/app:one`;
    const reference = `${open.host}/team/app@${digest}`;
    assert.deepEqual(await engine.images.pull('x', { image }), { image, reference, by: 'pull' });
    assert.deepEqual(await check(image), { image, reference, by: 'registry' });
    const { images } = await engine.observe('x', [image, reference]);
    assert.deepEqual(images, { present: [image, reference], local: [] });
  });

  test('of an index, the entry for this host is pulled, and the digest is that of the index', async () => {
    const { Arch: architecture } = await docker.version();
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const manifests = [await push(open, 's390x', 'foreign'), await push(open, architecture, 'two')];
    const digest = await open.pushManifest('team/app', 'both', { schemaVersion: 2, mediaType, manifests } as {
      mediaType: string;
    });
    const image = `${open.host}/team/app:both`;
    assert.equal((await engine.images.pull('x', { image })).reference, `${open.host}/team/app@${digest}`);
    assert.equal((await check(image))?.reference, `${open.host}/team/app@${digest}`);
    const listed = (await engine.images.list()).find(({ brought }) => brought.includes(image));
    assert.equal((await docker.getImage(listed!.id).inspect()).Config.Labels.says, 'two');
    const foreign = engine.images.pull('x', { image: `${open.host}/team/app:foreign` });
    await assert.rejects(foreign, isFault('image-wrong-architecture'));
  });

  test('a registry that requires a login gets it, and refuses clients without one', async () => {
    const { Arch: architecture } = await docker.version();
    const { digest } = await push(closed, architecture, 'three');
    const image = `${closed.host}/team/app:three`;
    const loginOf = (personalAccessToken: string) => ({
      registryLogin: { registry: closed.host, username: debianLogin.username, personalAccessToken },
    });
    await assert.rejects(engine.images.pull('x', { image }), isFault('image-access-denied'));
    await assert.rejects(engine.images.pull('x', { image, ...loginOf('wrong') }), isFault('image-access-denied'));
    const mine = loginOf(debianLogin.personalAccessToken);
    const reference = `${closed.host}/team/app@${digest}`;
    assert.equal((await engine.images.pull('x', { image, ...mine })).reference, reference);
    assert.equal((await check(image, mine))?.reference, reference);
    await assert.rejects(check(image), isFault('image-access-denied'));
  });

  test('a registry that sends its clients to a token server gets a token of that, for this pull alone', async (context) => {
    const { Arch: architecture } = await docker.version();
    const { username, personalAccessToken } = debianLogin;
    await using server = await startTokenServer({ username, password: personalAccessToken });
    await using registry = await startDebianRegistry({ kind: 'token', server });
    context.after(() => removeBrought(docker, registry.host));
    await using opened = await openTestImages([registry.host, server.host]);
    const engine = createDockerEngine({ docker, owner: 'test-debian', networkPool, images: opened.images });
    const pull = (repository: string, password?: string) => {
      const image = `${registry.host}/${repository}:one`;
      const registryLogin = { registry: registry.host, username, personalAccessToken: password ?? '' };
      return engine.images.pull('x', { image, ...(password !== undefined && { registryLogin }) });
    };
    const [open, closed] = ['public/app', 'team/app'];
    const digests = {
      [open]: (await push(registry, architecture, 'one', open)).digest,
      [closed]: (await push(registry, architecture, 'one', closed)).digest,
    };
    assert.equal((await pull(open)).reference, `${registry.host}/${open}@${digests[open]}`);
    assert.deepEqual(
      server.asked.filter(({ scope, username }) => scope !== `repository:${open}:pull` || username !== undefined),
      [],
    );
    await assert.rejects(pull(closed), isFault('image-access-denied'));
    await assert.rejects(pull(closed, 'wrong'), isFault('image-access-denied'));
    server.asked.length = 0;
    assert.equal((await pull(closed, personalAccessToken)).reference, `${registry.host}/${closed}@${digests[closed]}`);
    assert.ok(server.asked.length > 0);
    assert.deepEqual(
      server.asked.filter(({ scope, username: shown }) => scope !== `repository:${closed}:pull` || shown !== username),
      [],
    );
  });

  test("the operator's login opens the repositories that it is said to open, and no others", async (context) => {
    const { Arch: architecture } = await docker.version();
    await push(closed, architecture, 'four');
    const folder = await mkdtemp(join(tmpdir(), 'berth-login-'));
    context.after(() => rm(folder, { recursive: true }));
    const loginFile = join(folder, 'login');
    await writeFile(loginFile, `${debianLogin.username}:${debianLogin.personalAccessToken}\n`);
    const image = `${closed.host}/team/app:four`;
    const platform = { os: 'linux', architecture };
    const tries: [{ open?: string[] }, string][] = [
      [{}, 'in'],
      [{ open: ['team/'] }, 'in'],
      [{ open: ['others/', 'team/apple'] }, 'image-access-denied'],
    ];
    for (const [more, expected] of tries) {
      const registries = [{ host: closed.host, plainHttp: true, loginFile, ...more }];
      await using mine = await openTestImages([], { registries });
      const requested = mine.images.resolve({ image }, platform, AbortSignal.timeout(60_000));
      const outcome = await requested.then(
        () => 'in',
        ({ kind }: ImageFault) => kind,
      );
      assert.equal(outcome, expected, JSON.stringify(more));
    }
  });

  test('what it does not have is not found', async () => {
    for (const image of [`${open.host}/team/app:none`, `${open.host}/none:1`])
      await assert.rejects(engine.images.pull('x', { image }), isFault('image-not-found'));
  });
});

function isFault(kind: EngineFault['kind']) {
  return (error: unknown) => {
    assert.ok(error instanceof EngineFault, String(error));
    assert.equal(error.kind, kind, error.message);
    return true;
  };
}
