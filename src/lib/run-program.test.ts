import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgramError, runProgram } from './run-program.ts';

const failure = async (argv: string[], options = {}) =>
  await runProgram(argv, options).then(
    () => assert.fail('it succeeded'),
    (error: ProgramError) => error,
  );

test('a program gets its input, and none of the environment of the service', async () => {
  assert.equal(await runProgram(['cat'], { input: 'hello' }), 'hello');
  process.env.BERTH_TEST_SECRET = 'secret';
  const names = (await runProgram(['env'])).split('\n').map((line) => line.split('=')[0]);
  delete process.env.BERTH_TEST_SECRET;
  assert.deepEqual(names.filter(Boolean).sort(), ['LC_ALL', 'PATH']);
});

test('a failure has the exit code, the output, and the last lines of the standard error', async () => {
  const error = await failure(['sh', '-c', 'echo out; printf "one\\ntwo\\nthree\\nfour\\n" >&2; exit 3']);
  assert.ok(error instanceof ProgramError);
  assert.deepEqual([error.code, error.stdout, error.message], [3, 'out\n', 'sh: two three four']);
});

test('a program that is not installed is named', async () => {
  assert.equal((await failure(['berth-no-such-program'])).missing, 'berth-no-such-program');
});

test('an abort and the time limit kill the program', async () => {
  const abort = new AbortController();
  const running = failure(['sleep', '1000'], { signal: abort.signal });
  abort.abort();
  assert.match((await running).message, /^sleep: /);
  assert.match((await failure(['sleep', '1000'], { timeoutMs: 50 })).message, /^sleep: /);
  await assert.rejects(runProgram(['true'], { signal: AbortSignal.abort(new Error('over')) }), /over/);
});
