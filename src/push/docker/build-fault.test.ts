import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFault } from './build.ts';

/** The first lines of Docker's command without the plugin. */
const preamble = [
  'DEPRECATED: The legacy builder is deprecated and will be removed in a future release.',
  '            BuildKit is currently disabled; enable it by removing the DOCKER_BUILDKIT=0',
  '            environment-variable.',
];

for (const line of [
  'Error response from daemon: dockerfile parse error line 18: unknown instruction: APK',
  'the --mount option requires BuildKit. Refer to https://docs.docker.com/go/buildkit/ to learn how to build images with BuildKit enabled',
  'Error response from daemon: dockerfile parse error line 2: Unknown flag: link',
  'failed to parse platform : "" is an invalid component of "": platform specifier component must match',
])
  test(`what the classic builder does not know is said to need BuildKit: ${line.slice(0, 60)}`, () => {
    const { message, hint, output } = buildFault({ hasBuildKit: false }, [...preamble, line]);
    assert.match(message, /may need BuildKit/);
    assert.match(hint!, /docker-buildx/);
    assert.deepEqual(output, [line]);
  });

test('a build that fails for another reason, or with BuildKit, has failed', () => {
  assert.equal(buildFault({ hasBuildKit: false }, ['exited with 3']).hint, undefined);
  assert.equal(buildFault({ hasBuildKit: true }, ['unknown instruction: APK']).hint, undefined);
});

for (const line of [
  'ERROR: failed to solve: rpc error: code = Unknown desc = failed to solve with frontend dockerfile.v0: unsupported frontend capability moby.buildkit.frontend.contexts',
  'ERROR: failed to solve: rpc error: code = Unknown desc = failed to solve with frontend dockerfile.v0: failed to create LLB definition: dockerfile parse error line 3: unknown instruction: ECHO',
])
  test(`what the BuildKit of an older engine does not know is said to need a later one: ${line.slice(105, 160)}`, () => {
    const { message, hint } = buildFault({ hasBuildKit: true }, [line]);
    assert.match(message, /may be too old/);
    assert.match(hint!, /Docker 23/);
  });
