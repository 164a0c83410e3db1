import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  sayLines,
  sayList,
  sayPreview,
  sayStart,
  sayStatus,
  sayTemplates,
  sayUpdate,
  sayValidation,
} from './sentences.ts';

const url = 'http://shop.localhost:8080';
const status = { state: 'deploying', health: 'deploying', progress: 0, revision: 2 } as const;
const found = { warnings: [], diagnostics: [] };
const links = {} as never;
const shop = { applicationName: 'shop', environment: 'jolly-tapir', url, status, links, extend: {} as never };
const lasting = { reservation: {} as never, claim: { claimed: false }, createdAt: '', ...shop };

test('a start and an update say the state, the address and the next step', () => {
  const started = { message: 'm', ...lasting, ...found };
  assert.equal(
    sayStart({ ...started, sessionToken: 'berth_x' }),
    `Application shop is deploying. URL: ${url} Call status with sessionToken berth_x until it runs.`,
  );
  assert.match(
    sayStart({ ...started, warnings: ['odd'] }),
    /is deploying, with 1 warning\. .+ Call status until it runs/,
  );
  assert.equal(
    sayUpdate({ message: 'm', url, status, links, ...found }),
    `Revision 2 is deploying. URL: ${url} Call status until it runs.`,
  );
});

test('a failure says why, and what to do', () => {
  const failed = { ...status, state: 'failed', health: 'failed', message: 'pod web: exited with code 1' } as const;
  assert.equal(
    sayStatus({ ...lasting, status: failed }),
    `Application shop has failed: pod web: exited with code 1. URL: ${url} Correct the document and call update.`,
  );
});

test('a validation names the first error, and says whether images were checked', () => {
  const valid = { valid: true, errors: [], images: 'not checked', ...found } as const;
  assert.equal(
    sayValidation({ ...valid, errors: [] }),
    'The document is valid. Its images were not checked. Call deploy.',
  );
  const wrong = { ...valid, valid: false, errors: ['5:1 image: is missing', 'x', 'y'] };
  assert.equal(
    sayValidation(wrong),
    'The document is not valid: 5:1 image: is missing; and 2 other errors. Correct it and call validate again.',
  );
  assert.match(sayValidation({ ...wrong, fixed: 'a', fixedErrors: [] }), /Deploy the document in `fixed`\.$/);
});

test('lists say how many there are, and of what', () => {
  assert.equal(sayList({ reservedDeployments: [lasting] }), `1 deployment: shop is deploying at ${url}`);
  const line = { at: '', pod: 'web', revision: 1, text: 'hello' };
  assert.equal(sayLines({ lines: [line, line] }), '2 lines of web.');
  assert.equal(
    sayTemplates({ templates: [{ name: 'queue', document: 'a: 1' }] }),
    'Template queue. Call deploy with its document.',
  );
  const pod = { name: 'web', keepsData: true, volumes: [], because: '', warnings: [] };
  const pods = [
    { ...pod, change: 'restarted' as const },
    { ...pod, name: 'db', change: 'unchanged' as const },
  ];
  assert.equal(sayPreview({ pods, interrupted: [], ...found }), 'web restarted; 1 unchanged. Call update to apply it.');
});
