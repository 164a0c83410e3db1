/** `berth snapshot` and `berth snapshots` against a real service on the real engine. Needs root. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml } from '../scenarios/applications.ts';
import { createBerth, until } from '../scenarios/berth.ts';
import { claim } from '../scenarios/claimed.ts';

const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const program = join(import.meta.dirname, '../../src/cli/bin.mjs');

/** Each start writes a line to both volumes; of the update, another line. */
const yaml = (image: string, said: string) =>
  shellYaml('keeper', image, script(said), [
    '{ name: data, size: 16Mi, mountPath: /data }',
    '{ name: more, size: 16Mi, mountPath: /more }',
  ]);
const script = (said: string) =>
  `echo ${said} >>/data/said; echo ${said} >>/more/said; ln -sfn /more /data/more; exec busybox httpd -f -p 8080 -h /data`;

test(
  'from a terminal a snapshot is taken, listed, shows what it would replace, is restored and deleted',
  needsRoot,
  async (t) => {
    const image = await buildImage(await connectDocker(), { name: 'contract' });
    const berth = await createBerth({ BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never' });
    const folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
    t.after(async () => {
      await berth.destroy();
      await rm(folder, { recursive: true });
    });
    await berth.serve();
    const app = await berth.start(yaml(image, 'first'));
    await berth.reach(app, 'running');
    const env = { PATH: process.env.PATH, HOME: folder, BERTH_SERVER: berth.settings.baseUrl.origin };
    const cli = async (...words: string[]) => {
      const argv = [program, ...words, '--app', 'keeper', '--token', app.sessionToken];
      const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { status: await ended, stdout, stderr };
    };
    const said = (path: string) =>
      until('it answers', async () => {
        const { status, text } = await berth.visit(`${app.url}/${path}`);
        return status === 200 ? text : undefined;
      });

    const unclaimed = await cli('snapshot');
    assert.equal(unclaimed.status, 1, unclaimed.stdout);
    assert.match(unclaimed.stderr, /is not claimed[\s\S]*Claim it first/);
    await claim(berth, app);
    assert.match((await cli('snapshots')).stderr, /None yet: "berth snapshot" takes one/);
    assert.equal((await cli('snapshot', 'restore')).status, 2, 'of which snapshot?');
    assert.equal((await cli('snapshot', 'mend', 'it')).status, 2);
    assert.match((await cli('snapshot', 'verify', '--yes')).stderr, /None yet: "berth snapshot" takes one/);

    assert.equal((await cli('snapshots', '--before-updates', 'maybe')).status, 2);
    assert.match((await cli('snapshots', '--before-updates', 'on')).stdout, /is taken before each update of keeper/);
    assert.match((await cli('snapshots')).stderr, /One is taken before each update/);
    assert.match((await cli('snapshots', '--before-updates', 'off')).stdout, /No snapshot is taken before an update/);

    const taken = await cli('snapshot');
    assert.equal(taken.status, 0, taken.stderr);
    const [, id] = /^([a-z0-9]+): [\d.]+ \S+\n$/.exec(taken.stdout)!;
    assert.match(taken.stderr, /A snapshot of keeper is being taken/);
    const listed = await cli('snapshots');
    const kind = 'asked';
    assert.match(listed.stdout, new RegExp(`^SNAPSHOT +OF +REVISION .*\\n${id} +\\S+ +1 +${kind} +taken +[\\d.]+ `));

    await writeFile(join(folder, 'next.yaml'), yaml(image, 'second'));
    const updated = await cli('update', 'next.yaml');
    assert.equal(updated.status, 0, updated.stderr);
    assert.match(await said('more/said'), /second/);

    const trial = await cli('snapshot', 'restore', id!, '--volume', 'web-more', '--dry-run');
    assert.match(trial.stdout, /Stopped and started again: web\.\nLeft as they are: web-data\./, trial.stderr);
    const unasked = await cli('snapshot', 'restore', id!);
    assert.equal(unasked.status, 2, unasked.stdout);
    assert.match(unasked.stderr, /--yes restores it without/);
    assert.match(await said('more/said'), /first\nsecond\n/, 'nothing was changed');

    const restored = await cli('snapshot', 'restore', id!, '--volume', 'web-more', '--yes');
    assert.equal(restored.status, 0, restored.stderr);
    const [, before] = new RegExp(`web-more restored from ${id}\\. The previous data is in snapshot (\\w+)\\.`).exec(
      restored.stdout,
    )!;
    assert.deepEqual([await said('more/said'), await said('said')], ['first\nsecond\n', 'first\nsecond\nsecond\n']);
    assert.match((await cli('snapshots')).stdout, new RegExp(`${before} +\\S+ +2 +before-restore +taken`));

    const unsaid = await cli('snapshot', 'verify');
    assert.equal(unsaid.status, 2, unsaid.stdout);
    const verified = await cli('snapshot', 'verify', id!, '--yes');
    assert.equal(verified.status, 0, verified.stderr);
    const seen = `pod web: ready\nSnapshot ${id} comes back: web-data, web-more \\([\\d.]+ \\S+\\), running after \\d+ s\\.\n$`;
    assert.match(verified.stdout, new RegExp(seen));
    assert.match(verified.stderr, /deployment of this check is removed with its data/);
    assert.match(
      (await cli('snapshot', 'verify', 'nobody', '--yes')).stderr,
      /This application has no snapshot nobody that is kept/,
    );
    assert.equal(await said('more/said'), 'first\nsecond\n', 'what runs stays as it is');

    const dryRun = await cli('snapshot', 'restore', id!, '--beside', '--volume', 'web-more', '--dry-run');
    assert.match(
      dryRun.stdout,
      /The existing deployment does not change\.\nEmpty at the beginning: web-data\./,
      dryRun.stderr,
    );
    const other = await cli('snapshot', 'restore', id!, '--beside', '--yes');
    assert.equal(other.status, 0, other.stderr);
    assert.match(other.stderr, /Another keeper is being started[\s\S]*Its session token, which is shown once: berth_/);
    const [newUrl] = /https?:\S+/.exec(other.stdout)!;
    assert.notEqual(newUrl, app.url);
    const { text: besideSaid } = await berth.visit(`${newUrl}/more/said`);
    assert.equal(besideSaid, 'first\nfirst\n', 'by the revision of the snapshot');

    const kept = await cli('snapshot', 'delete', id!);
    assert.deepEqual([kept.status, /--yes deletes it without/.test(kept.stderr)], [2, true], kept.stderr);
    assert.match((await cli('snapshot', 'delete', id!, '--yes')).stdout, new RegExp(`^Snapshot ${id} is deleted`));
    const again = await cli('snapshot', 'delete', id!, '--yes');
    assert.equal(again.status, 1);
    assert.match(again.stderr, /This application has no snapshot/);
    const left = JSON.parse((await cli('snapshots', '--json')).stdout);
    assert.deepEqual(
      left.snapshots.map((each: { id: string }) => each.id),
      [before],
    );
  },
);
