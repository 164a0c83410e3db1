/** Hostile builds on the real engine: a build reaches no more than any pod, and ends at its limits. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { BuildFault } from '../../src/builds/build-fault.ts';
import { base, setBuildStage } from '../builds/build-stage.ts';

describe('a hostile build', () => {
  const newBuilds = setBuildStage();

  test('reaches no device, no file and no service of the host', async () => {
    const { build, output } = newBuilds();
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end('secret');
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const attempts = [
        'mknod /disk b 7 0',
        'mount -t tmpfs none /mnt && mount -o remount,bind,suid /proc',
        'ls /var/run/docker.sock',
        'cat /proc/1/root/etc/shadow',
        'cat /sys/kernel/debug/tracing/trace',
        'echo 1 > /proc/sys/kernel/panic',
        'insmod /x.ko',
        `wget -q -T 2 -O - http://127.0.0.1:${port}/`,
        `wget -q -T 2 -O - http://$(ip route | sed -n 's/default via \\([0-9.]*\\).*/\\1/p'):${port}/`,
        'wget -q -T 2 -O - http://169.254.169.254/latest/meta-data/',
      ];
      const lines = ['# syntax=127.0.0.1:1/evil/frontend:1', `FROM ${base}`];
      for (const [at, attempt] of attempts.entries())
        lines.push(`RUN if ${attempt}; then echo "reached ${at}"; fi 2>&1`);
      await build({ Dockerfile: lines.join('\n') });
      assert.doesNotMatch(output(), /^reached \d/m);
      await assert.rejects(build({ Dockerfile: `FROM ${base}\nADD http://127.0.0.1:${port}/ /got` }), BuildFault);
      assert.equal(requests, 0);
    } finally {
      server.close();
    }
  });

  test('changes no base image that builds share, and sees no base image of other builds', async () => {
    const { inBuilder } = newBuilds();
    await newBuilds().build({ Dockerfile: 'FROM redis:7\nRUN true' });
    const attempts = [
      'touch /bases/0/made',
      'echo changed > /bases/0/overlay-images/images.json',
      'mount -o remount,rw /bases/0 && touch /bases/0/made',
      'mount --bind /bases/0 /mnt && mount -o remount,bind,rw /mnt && touch /mnt/made',
      'buildah unshare sh -c "mount -o remount,bind,rw /bases/0 && touch /bases/0/made"',
      'buildah unshare sh -c "umount /bases/0"',
      'buildah rmi --all --force && test ! -e /bases/0/overlay-images/images.json',
    ];
    const tried = attempts.map((attempt, at) => `if ( ${attempt} ) >&2; then echo "reached ${at}"; fi`);
    const said = await inBuilder(base, [...tried, 'ls /bases', 'buildah images'].join('\n'));
    assert.doesNotMatch(said, /^reached \d/m);
    assert.match(said, /^0$/m);
    assert.doesNotMatch(said, /^1$|redis/m);
  });

  test('ends at its memory, its processes and its disk', async () => {
    const { build, output } = newBuilds({ volumeBytes: 2 ** 30 });
    const attempts: [string, RegExp][] = [
      ['node -e "const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 26, 1))"', /exited on killed/],
      // The shell's own words may be lost when the build ends. Without the limit, the loop would end with status 0.
      ['for i in $(seq 1000); do sleep 60 & done', /done": exit status 2$/m],
      ['head -c 3000000000 /dev/zero > /filled', /no space left/i],
    ];
    for (const [attempt, words] of attempts) {
      await assert.rejects(build({ Dockerfile: `FROM ${base}\nRUN ${attempt}` }), BuildFault, attempt);
      assert.match(output(), words);
    }
  });
});
