import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { withoutApproval } from './approval.ts';

const effect = (deployments: number) => ({ words: `stop ${deployments} deployments`, deployments, value: {} });

function terminal(answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  stderr.once('data', () => stdin.write(answer));
  return { stdin, stderr };
}

test('a command at a terminal proceeds after a yes, and after nothing else', async () => {
  assert.equal(await withoutApproval(effect(2), {}, terminal('y\n')), undefined);
  assert.equal((await withoutApproval(effect(2), {}, terminal('\n')))?.status, 1);
});

test('a command that stops many deployments needs --yes at a terminal too', async () => {
  const answer = await withoutApproval(effect(6), {}, terminal('y\n'));
  assert.match(answer?.text ?? '', /^This would stop 6 deployments\. Nothing was changed\. .* --yes/);
  assert.equal(await withoutApproval(effect(6), { yes: true }, terminal('')), undefined);
});

test('a command that stops nothing does not ask', async () => {
  const streams = { stdin: new PassThrough(), stderr: new PassThrough() };
  assert.equal(await withoutApproval(effect(0), {}, streams), undefined);
});
