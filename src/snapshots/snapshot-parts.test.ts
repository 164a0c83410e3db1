import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SnapshotFault } from './snapshot-parts.ts';

test('the output of a deployment’s program is for its owner, and never logged', () => {
  const fault = new SnapshotFault('pg_dump has ended with 3.', { said: ' no\u0000such\n\u001b[31mthing\ud800 ' });
  assert.equal(fault.ownersWords, 'pg_dump has ended with 3. It said: no such [31mthing\ufffd');
  assert.equal(fault.message, 'pg_dump has ended with 3.');
  assert.ok(!`${inspect(fault, { showHidden: true })}${JSON.stringify({ ...fault })}${fault.stack}`.includes('thing'));
  assert.equal(new SnapshotFault('No.').ownersWords, 'No.');
});
