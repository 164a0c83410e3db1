import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisiveLine } from './decisive-line.ts';

const of = (text: string) => decisiveLine(text.split('\n'));

for (const [title, text, line, missingVariable] of [
  [
    'Node',
    `/app/server.mjs:3
  throw new Error('DATABASE_URL is not set');
        ^

Error: DATABASE_URL is not set
    at file:///app/server.mjs:3:9
    at ModuleJob.run (node:internal/modules/esm/module_job:343:25)

Node.js v26.0.0 ×5`,
    'Error: DATABASE_URL is not set',
    'DATABASE_URL',
  ],
  [
    'Python',
    `Traceback (most recent call last):
  File "/app/main.py", line 4, in <module>
    url = os.environ["REDIS_URL"]
          ~~~~~~~~~~^^^^^^^^^^^^^
  File "<frozen os>", line 714, in __getitem__
KeyError: 'REDIS_URL'`,
    "KeyError: 'REDIS_URL'",
    'REDIS_URL',
  ],
  [
    'a shell',
    '/entrypoint.sh: line 3: SECRET_KEY: unbound variable',
    '/entrypoint.sh: line 3: SECRET_KEY: unbound variable',
    'SECRET_KEY',
  ],
  [
    'Ruby',
    'config.rb:2:in `fetch\': key not found: "SECRET_KEY_BASE" (KeyError)\n\tfrom config.rb:2:in `<main>\'',
    'config.rb:2:in `fetch\': key not found: "SECRET_KEY_BASE" (KeyError)',
    'SECRET_KEY_BASE',
  ],
  [
    'JSON',
    '{"level":"fatal","time":1,"msg":"missing required environment variable STRIPE_KEY"}',
    'missing required environment variable STRIPE_KEY',
    'STRIPE_KEY',
  ],
  [
    'Go',
    'panic: dial tcp: lookup db: no such host\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:10 +0x1d',
    'panic: dial tcp: lookup db: no such host',
    undefined,
  ],
  [
    'Java',
    'Exception in thread "main" java.lang.IllegalStateException: no\n\tat Main.main(Main.java:3)\nCaused by: java.net.ConnectException: Connection refused\n\t... 3 more',
    'Caused by: java.net.ConnectException: Connection refused',
    undefined,
  ],
  [
    'PostgreSQL',
    '2026-01-01 12:00:00.000 UTC [1] FATAL:  data directory "/x" has wrong ownership\n2026-01-01 12:00:00.001 UTC [1] HINT:  fix it',
    '[1] FATAL:  data directory "/x" has wrong ownership',
    undefined,
  ],
] as const) {
  test(`the decisive line in the last output of a program is found: ${title}`, () => {
    assert.deepEqual(of(text), { line, ...(missingVariable !== undefined && { missingVariable }) });
  });
}

test('output without a reason has no decisive line', () => {
  for (const text of ['', 'listening on 3000', 'GET / 200\nbye', '    at foo (error:1:2)', 'no PORT is set'])
    assert.equal(of(text), undefined);
});
