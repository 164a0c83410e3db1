import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeLines,
  describeList,
  describePreview,
  describeStart,
  describeStatus,
  describeTemplates,
  describeUpdate,
  describeValidation,
} from './descriptions.ts';

const url = 'http://shop.localhost:8080';
const status = { state: 'deploying', health: 'deploying', progress: 0, revision: 2 } as const;
const found = { warnings: [], diagnostics: [] };
const links = {} as never;
const shop = { applicationName: 'shop', environment: 'jolly-tapir', url, status, links, extend: {} as never };
const lasting = { reservation: {} as never, claim: { claimed: false }, createdAt: '', ...shop };

test('a start and an update say the state, the address and the next step', () => {
  const started = { message: 'm', ...lasting, ...found };
  assert.equal(
    describeStart({ ...started, sessionToken: 'berth_x' }),
    `Application shop is deploying. URL: ${url} Call status with sessionToken berth_x until it runs.`,
  );
  assert.match(
    describeStart({ ...started, warnings: ['odd'] }),
    /is deploying\. .+ Call status until it runs\.\n- odd$/,
  );
  assert.equal(
    describeUpdate({ message: 'm', url, status, links, ...found }),
    `Revision 2 is deploying. URL: ${url} Call status until it runs.`,
  );
});

test('a failure says why, and what to do', () => {
  const failed = { ...status, state: 'failed', health: 'failed', message: 'pod web: exited with code 1' } as const;
  assert.equal(
    describeStatus({ ...lasting, status: failed }),
    `Application shop has failed: pod web: exited with code 1. URL: ${url} Correct the document and call update.`,
  );
});

test('a validation lists every error and contains the repaired document', () => {
  const valid = { valid: true, errors: [], images: 'not checked', ...found } as const;
  assert.equal(
    describeValidation({ ...valid, errors: [], warnings: ['odd'] }),
    'The document is valid. Its images were not checked. Call deploy.\n- odd',
  );
  const wrong = { ...valid, valid: false, errors: ['5:1 image: is missing', 'x'] };
  assert.equal(
    describeValidation(wrong),
    'The document is not valid.\n- 5:1 image: is missing\n- x\nCorrect it and call validate again.',
  );
  assert.match(describeValidation({ ...wrong, fixed: 'a: 1', fixedErrors: [] }), /call deploy with it:\n\na: 1$/);
});

test('lists say how many there are, and of what', () => {
  assert.equal(describeList({ reservedDeployments: [lasting] }), `1 deployment: shop is deploying at ${url}`);
  const line = { at: '', pod: 'web', revision: 1, text: 'hello' };
  assert.equal(describeLines({ lines: [line, line] }), 'web: hello\nweb: hello');
  assert.equal(
    describeTemplates({ templates: [{ name: 'queue', document: 'a: 1' }] }),
    'Template queue. Call deploy with its document:\n\na: 1',
  );
  const pod = { name: 'web', keepsData: true, volumes: [], because: '', warnings: [] };
  const pods = [
    { ...pod, change: 'restarted' as const },
    { ...pod, name: 'db', change: 'unchanged' as const },
  ];
  assert.equal(
    describePreview({ pods, interrupted: [], ...found }),
    'web restarted; 1 unchanged. Call update to apply it.',
  );
});
