import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pod } from '../../../test/support/deployments.ts';
import { execHere } from '../../../test/support/exec-here.ts';
import { generatedValue } from '../../deployment/workload/derived-secrets.ts';
import { accessOf, savingOf } from './redis-save.ts';
import { runTool } from './run-tool.ts';

const derive = (name: string) => Buffer.alloc(32, name);
const access = (fields: Parameters<typeof pod>[1]) => accessOf(pod('cache', fields), derive);

test('what opens a Redis is found wherever its document says it', () => {
  const found: [Parameters<typeof pod>[1], number, string[]][] = [
    [{ command: ['redis-server', '--requirepass', "it's", '--port', '7000'] }, 7000, ["it's"]],
    [{ command: ['redis-server', '--requirepass', '', '--port', 'no'] }, 6379, []],
    [{ entrypoint: ['sh', '-c'], command: [`exec redis-server --save '' --requirepass "a b"`] }, 6379, ['a b']],
    [
      { command: ['sh', '-c', 'redis-server --requirepass "${PASS:?}" --port $PORT'], vars: { PASS: 'x', PORT: '1' } },
      1,
      ['x'],
    ],
    [{ command: ['redis-server', '--requirepass', '<% SECRET PASS %>'] }, 6379, [generatedValue('PASS', derive)]],
    [{ vars: { REDIS_PASSWORD: 'of bitnami', REDIS_PASSWORDS: 'no' } }, 6379, ['of bitnami']],
    [{ vars: { VALKEY_EXTRA_FLAGS: '--port 2 --requirepass flag' } }, 2, ['flag']],
    [
      {
        command: ['/etc/redis.conf'],
        files: [
          { path: '/etc/redis.conf', content: '# it\nport 3\nrequirepass "of file"\nrequirepass\n', isSecret: true },
        ],
      },
      3,
      ['of file'],
    ],
    [
      {
        vars: { REDIS_PASSWORD_FILE: '/run/secrets/it' },
        files: [{ path: '/run/secrets/it', content: 'of a secret\n', isSecret: true }],
      },
      6379,
      ['of a secret'],
    ],
    [{ command: ['redis-server', `--port "`, '--requirepass'], vars: { REDIS_PASSWORD: 'two\nlines' } }, 6379, []],
  ];
  for (const [fields, port, passwords] of found) assert.deepEqual(access(fields), { port, passwords });
});

test('its password is in the input of the tool alone, and what differs never becomes a part of the script', () => {
  const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/da$(touch /tmp/it)ta' }];
  const redis = { command: ['redis-server', '--requirepass', 'it is secret'] };
  const { tool, input } = savingOf(pod('cache', { ...redis, volumes }), derive);
  assert.equal(input, 'it is secret\n');
  assert.ok(!tool.command.join(' ').includes('it is secret'));
  assert.deepEqual(tool.command.slice(-2), ['6379', '/da$(touch /tmp/it)ta']);
  assert.equal(tool.command[2], savingOf(pod('other'), derive).tool.command[2]);
});

/** Runs the tool against a Redis with these answers. @returns The requests to Redis, and the tool's failure. */
async function save({ saves = ['Background saving started'], ends = 'ok', dir = '/data/redis', opens = 'right' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-redis-save-'));
  try {
    const answers = saves.map((answer, at) => `${at}) echo "${answer}" ;;`).join(' ');
    const cli = `#!/bin/sh
cd "${folder}"; shift 2; echo "$*" >>requests
[ "$REDISCLI_AUTH" = "${opens}" ] || { echo NOAUTH Authentication required.; exit 0; }
case "$*" in
  PING) echo PONG ;;
  'CONFIG GET dir') printf 'dir\\n${dir}\\n' ;;
  BGSAVE) n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; case $n in ${answers} esac ;;
  *) printf '# Persistence\\r\\nrdb_bgsave_in_progress:'; [ -e saved ] && echo 0 || echo 1; echo "rdb_last_bgsave_status:${ends}"; : >saved ;;
esac
`;
    await writeFile(join(folder, 'redis-cli'), cli, { mode: 0o700 });
    const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/data/' }];
    const command = ['redis-server', '--requirepass', 'wrong'];
    const { tool, input } = savingOf(pod('cache', { command, vars: { REDIS_PASSWORD: 'right' }, volumes }), derive);
    const given = (async function* () {
      yield Buffer.from(input);
    })();
    const { signal: stop } = new AbortController();
    const of = { exec: execHere(folder), workload: 'cache', take() {}, maxBytes: 1000, withinMs: 60_000, stop };
    const said = await runTool(tool, { ...of, input: given }).then(
      () => 'done',
      ({ ownersWords }) => ownersWords as string,
    );
    return { said, asked: (await readFile(join(folder, 'requests'), 'utf8')).trim().split('\n') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a save is done when one that began after the question has ended well', async () => {
  const busy = [
    'ERR Background save already in progress',
    "ERR Another child process is active: can't BGSAVE right now.",
  ];
  const { said, asked } = await save({ saves: [...busy, 'Background saving started'] });
  assert.equal(said, 'done');
  const state = 'INFO persistence';
  const first = ['PING', 'PING', 'PING', 'CONFIG GET dir'];
  assert.deepEqual(asked, [...first, 'BGSAVE', 'BGSAVE', 'BGSAVE', state, state, state]);
});

test('a Redis that cannot save where its volume is says why', async () => {
  const words = async (fields: Parameters<typeof save>[0]) => (await save(fields)).said;
  assert.match(
    await words({ opens: 'another' }),
    /It said: It accepts no password of its document: NOAUTH Authentication required\.$/,
  );
  assert.match(
    await words({ dir: '/database' }),
    /It said: Its data is in \/database, which is in no volume of its pod\.$/,
  );
  assert.match(await words({ ends: 'err' }), /It said: It could not write its data; its log says why\.$/);
  assert.match(await words({ saves: ['NOPERM this user has no permissions'] }), /It said: NOPERM this user/);
});
