import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMessage, programOf } from './check-message.ts';

test('only the program of a command is shown, because its arguments may contain a password', () => {
  const commands: [string[], string][] = [
    [['pg_isready', '-U', 'app'], 'pg_isready'],
    [['/usr/bin/redis-cli', '-a', 'hunter2', 'ping'], 'redis-cli'],
    [['/bin/sh', '-c', 'pg_isready -U app || exit 1'], 'pg_isready'],
    [['bash', '-lc', '  /opt/check.sh; echo'], 'check.sh'],
    [['/bin/sh', '-c', 'PASSWORD=hunter2 check'], 'sh'],
    [['/bin/sh', '-c', '"$CHECK" hunter2'], 'sh'],
    [['\u001b[2J\n'], 'command'],
    [['x'.repeat(1000)], 'x'.repeat(60)],
  ];
  for (const [command, expected] of commands) assert.equal(programOf(command), expected);
});

test('a command that exits with 0 has no message', () => {
  assert.equal(checkMessage(['true'], { kind: 'exited', code: 0, output: 'much' }), undefined);
});

test('the output of a command is shown on one line, at most 300 characters of it, without control characters', () => {
  const output = `\u001b[31mno\u001b[0m\r\n\u0000\u202eresponse\t${'x'.repeat(100_000)}`;
  const { words } = checkMessage(['pg_isready'], { kind: 'exited', code: 2, output })!;
  assert.match(words, /^health check `pg_isready` exits with 2: no response x+…$/);
  assert.equal(words.length, 'health check `pg_isready` exits with 2: '.length + 301);
});

test('the failure of a command is explained in words', () => {
  const said = [
    { kind: 'exited', code: 1, output: '  ' },
    { kind: 'timed-out', afterSeconds: 5 },
    { kind: 'left' },
    { kind: 'flood' },
    { kind: 'not-startable', output: 'OCI runtime exec failed: … executable file not found in $PATH: unknown' },
    { kind: 'not-startable', output: 'OCI runtime exec failed: … permission denied: unknown' },
    { kind: 'not-startable', output: 'OCI runtime exec failed: /var/lib/docker/…' },
  ] as const;
  assert.deepEqual(
    said.map((end) => checkMessage(['check'], end)?.words.replace('health check `check` ', '')),
    [
      'exits with 1',
      'did not finish within 5 s',
      'was aborted and has not ended yet',
      'writes endlessly',
      'cannot be run: its image does not contain this program',
      'cannot be run: its user may not run it',
      'cannot be run: it cannot be started',
    ],
  );
});
