import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUnanswered, pullFault } from './pull-faults.ts';
import { createPullProgress, type PullLine } from './pull-progress.ts';

/** Answers as Docker 20.10 gives them, with the registry's words. */
const answers: [text: string, hasLogin: boolean, kind: string, words: RegExp][] = [
  [
    "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    false,
    'image-not-found',
    /does not exist, or it is private/,
  ],
  [
    "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    true,
    'image-access-denied',
    /or the registryLogin may not pull it/,
  ],
  ['manifest for nginx:nope not found: manifest unknown: manifest unknown', false, 'image-not-found', /does not exist/],
  ['docker.io/library/nginx:nope: not found', false, 'image-not-found', /does not exist/],
  [
    '(HTTP code 401) no such image - unauthorized ',
    true,
    'image-access-denied',
    /refuses access to .* \(check the registryLogin/,
  ],
  ['unauthorized: authentication required', false, 'image-access-denied', /add a registryLogin/],
  ['Get "https://r.example/v2/x": no basic auth credentials', false, 'image-access-denied', /add a registryLogin/],
  [
    'Head "https://ghcr.io/v2/a/b/manifests/1": denied',
    true,
    'image-access-denied',
    /refuses access to .* \(check the registryLogin/,
  ],
  ['no matching manifest for linux/amd64 in the manifest list entries', false, 'image-wrong-architecture', /processor/],
  ['toomanyrequests: You have reached your pull rate limit.', false, 'registry-unreachable', /rate limit/],
  ['Get "https://r.example/v2/": dial tcp: lookup r.example: no such host', false, 'registry-unreachable', /reached/],
  ['Get "https://1.2.3.4/v2/": dial tcp 1.2.3.4:443: connect: connection refused', false, 'registry-unreachable', /re/],
  ['Get "https://r.example/v2/": net/http: TLS handshake timeout', false, 'registry-unreachable', /reached/],
  ['http: server gave HTTP response to HTTPS client', false, 'registry-unreachable', /reached/],
  ['invalid reference format: repository name must be lowercase', false, 'bad-request', /not the name of an image/],
  [
    'write /var/lib/docker/tmp/x: no space left on device',
    false,
    'unavailable',
    /^Out of disk: .* \(its operator has to make room\)$/,
  ],
];

test('why a pull failed is told by the words of the answer, in words without internals', () => {
  for (const [text, hasLogin, kind, words] of answers) {
    const fault = pullFault(new Error(`(HTTP code 500) server error - ${text} `), 'r.example/x:1', hasLogin);
    const bare = pullFault(new Error(text), 'r.example/x:1', hasLogin);
    assert.equal(bare.kind, kind, text);
    assert.match(`${bare.message} (${bare.hint})`, words);
    assert.ok(!/var\/|dial tcp|https:/.test(bare.message), bare.message);
    assert.equal(fault.kind, kind, text);
  }
});

test('an engine that cannot be reached, or ends during a pull, is not the fault of the registry', () => {
  for (const [text, code] of [
    ['connect ENOENT /var/run/docker.sock', 'ENOENT'],
    ['socket hang up', 'ECONNRESET'],
    ['aborted', 'ECONNRESET'],
  ] as const) {
    const { kind, message } = pullFault(Object.assign(new Error(text), { code }), 'r.example/x:1', false);
    assert.deepEqual([kind, message], ['unavailable', 'The container engine does not answer.']);
  }
});

test('progress counts bytes over all layers, the unknown ones as the mean of the known', () => {
  const { read: progress } = createPullProgress();
  const line = (id: string, status: string, current?: number, total?: number): PullLine => ({
    id,
    status,
    ...(total && { progressDetail: { current: current ?? 0, total } }),
  });
  assert.equal(progress(line('1', 'Pulling from library/nginx')), 0);
  assert.equal(progress(line('a', 'Pulling fs layer')), 0);
  assert.equal(progress(line('b', 'Pulling fs layer')), 0);
  assert.equal(progress(line('old', 'Already exists')), 0);
  assert.equal(progress(line('a', 'Downloading', 50, 100)), (0.8 * 50) / 200);
  assert.equal(progress(line('a', 'Download complete')), (0.8 * 100) / 200);
  assert.equal(progress(line('b', 'Downloading', 0, 300)), 0.4, 'never less than before');
  progress(line('a', 'Pull complete'));
  progress(line('b', 'Extracting', 150, 300));
  assert.equal(progress(line('b', 'Pull complete')), 1);
});

test('a pull waits for its registry while one of its layers has its turn and is not there', () => {
  const { read, phase } = createPullProgress();
  const phases = [
    ...(['Pulling from x', 'Pulling fs layer', 'Waiting', 'Downloading', 'Verifying Checksum'] as const),
    ...(['Download complete', 'Extracting', 'Pull complete'] as const),
  ].map((status) => {
    read({ id: 'a', status });
    return phase();
  });
  const [asking, begun, queued, coming, ...here] = phases;
  assert.deepEqual([asking, begun, queued, coming], ['asking', 'receiving', 'engine', 'receiving']);
  assert.deepEqual([...new Set(here)], ['engine']);
});

test('progress grows from 0 to at most 1, whatever Docker says', () => {
  const statuses = ['Pulling fs layer', 'Downloading', 'Download complete', 'Extracting', 'Pull complete', 'Waiting'];
  const line = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom(...statuses),
    progressDetail: fc.record({ current: fc.nat(200), total: fc.integer({ min: -1, max: 200 }) }, { requiredKeys: [] }),
  });
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const { read: progress } = createPullProgress();
      let before = 0;
      for (const each of lines) {
        const share = progress(each);
        assert.ok(share >= before && share <= 1);
        before = share;
      }
    }),
  );
});

test('only what was not reached, or did not answer in time, counts as such; what answers with an error is there', () => {
  const isSo = (words: string) => isUnanswered(pullFault(new Error(words), 'a.example/b:1', false));
  for (const words of [
    'Get "https://a.example/v2/": dial tcp: lookup a.example on 10.0.0.53:53: no such host',
    'Get "https://a.example/v2/": dial tcp 192.0.2.1:443: connect: connection refused',
    'Get "https://a.example/v2/": dial tcp 192.0.2.1:443: i/o timeout',
    'Get "https://a.example/v2/": net/http: TLS handshake timeout',
    'Get "https://a.example/v2/": net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
    'Get "https://a.example/v2/": context deadline exceeded',
  ])
    assert.equal(isSo(words), true, words);
  for (const words of [
    'toomanyrequests: slow down',
    'received unexpected HTTP status: 500 Internal Server Error',
    'manifest unknown',
    'error parsing HTTP 404 response body: invalid character',
    'unauthorized: authentication required',
  ])
    assert.equal(isSo(words), false, words);
});
