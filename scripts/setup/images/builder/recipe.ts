/** The image of builder containers: buildah from Debian packages. It contains no secrets, since tenants can read it. */
import type { Recipe } from '../build.ts';
import { makeFolder, takePrograms, write } from '../root.ts';

/** Signatures are not verified: base images reach the builder through the service, which verifies digests. */
const policy = { default: [{ type: 'insecureAcceptAnything' }] };

const registries = 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n';

/**
 * `overlay` without a helper program: Linux 5.11 and newer can mount it in a user namespace. Builds use their own
 * storage file, and base images are unpacked into a separate folder, but buildah requires both folders here.
 */
const storage = '[storage]\ndriver = "overlay"\nrunroot = "/build/run"\ngraphroot = "/build/storage"\n';

export const builder: Recipe = {
  image: 'berth-builder:1',
  isOwn: true,
  from: 'Debian packages',
  seconds: 4,
  packages: ['buildah', 'uidmap'],
  promises: { package: 'buildah', version: '1.' },
  config: { Cmd: ['sleep', 'infinity'], Env: ['BUILDAH_ISOLATION=chroot', 'TMPDIR=/build'], WorkingDir: '/build' },
  async fill(root) {
    await takePrograms(root, ['/usr/bin/buildah', '/usr/bin/newuidmap', '/usr/bin/newgidmap']);
    await write(root, '/etc/containers/policy.json', JSON.stringify(policy));
    await write(root, '/etc/containers/registries.conf', registries);
    await write(root, '/etc/containers/storage.conf', storage);
    await write(root, '/etc/subuid', 'root:1:65535\n');
    await write(root, '/etc/subgid', 'root:1:65535\n');
    await makeFolder(root, '/build');
  },
};
