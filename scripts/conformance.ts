/**
 * Runs the conformance suite of the distribution specification against the registry of pushed images. The suite is a
 * program in Go: `go build` in the folder `conformance` of github.com/opencontainers/distribution-spec makes it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openImageRegistry } from '../test/support/image-registry.ts';

/**
 * Tests of features that the registry does not offer: only container images are accepted. See
 * `test/push/conformance-suite.test.ts`.
 */
const notOffered = {
  OCI_API_REFERRER: 'false',
  OCI_DATA_SHA512: 'false',
  OCI_DATA_INDEX_LIST: 'false',
  OCI_DATA_ARTIFACT: 'false',
  OCI_DATA_ARTIFACT_LIST: 'false',
  OCI_DATA_NONDISTRIBUTABLE: 'false',
  OCI_DATA_SUBJECT: 'false',
  OCI_DATA_SUBJECT_LIST: 'false',
  OCI_DATA_SUBJECT_MISSING: 'false',
};
/** Optional tests of the suite. */
const offered = {
  OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
  OCI_API_BLOBS_DIGEST_HEADER: 'true',
  OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
};

const [program] = process.argv.slice(2);
if (program === undefined) {
  console.error('npm run conformance -- PROGRAM: the suite, built from github.com/opencontainers/distribution-spec');
  process.exit(2);
}
const results = await mkdtemp(join(tmpdir(), 'berth-conformance-'));
const registry = await openImageRegistry();
try {
  const { token, namespace } = await registry.pusher();
  const suite = spawn(program, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      OCI_VERSION: '1.1',
      OCI_TLS: 'disabled',
      OCI_RESULTS_DIR: results,
      OCI_REGISTRY: registry.host,
      OCI_REPO1: `${namespace}/repo1`,
      OCI_REPO2: `${namespace}/repo2`,
      OCI_USERNAME: 'me',
      OCI_PASSWORD: token,
      ...offered,
      ...notOffered,
    },
  });
  let said = '';
  suite.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
    process.stdout.write(chunk);
  });
  await once(suite, 'close');
  // The suite's exit code does not report failures.
  if (!/^OCI Conformance Test: Pass$/m.test(said)) process.exitCode = 1;
} finally {
  await registry.close();
  await rm(results, { recursive: true });
}
