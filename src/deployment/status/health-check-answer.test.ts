import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { observedOf } from '../../../test/support/deployments.ts';
import type { ObservedWorkload } from '../workload/workload.ts';
import { withoutSecrets } from './deployment-status.ts';
import { readableText, shownBeginning } from './health-check-answer.ts';

test('a body is read as the text that it is', () => {
  assert.equal(readableText(Buffer.from('{\r\n  "error": "no table ü 🚢"\r\n}\n')), '{\n  "error": "no table ü 🚢"\n}');
});

test('what is not seen, or would change how the rest is seen, is left out', () => {
  const hostile = '\u001b[31mred\u001b[0m\u0000\u0007 \u202egnp.exe\u2066 \u2028new\u0085 line\u200b';
  assert.equal(readableText(Buffer.from(hostile)), 'red gnp.exe new line');
  assert.equal(readableText(Buffer.from([0xff, 0xfe, 0x80, 0x41])), 'A');
});

test('500 bytes are shown, and no half letter at their end', () => {
  assert.equal(shownBeginning('x'.repeat(10_000)).length, 500);
  assert.equal(shownBeginning(`${'x'.repeat(498)}🚢`), 'x'.repeat(498));
});

test('a secret is left out of a body before it is cut, so that no half of one is shown', () => {
  const observed = observedOf({});
  const secret = 'very-secret-0123';
  const web: ObservedWorkload = {
    name: 'web',
    pod: 'web',
    revision: 1,
    replica: 0,
    fingerprint: '',
    phase: 'running',
    isReady: false,
    restarts: 0,
    notReadyBecause: 'health check / answered 500',
    healthCheckBody: `${'x'.repeat(490)}${secret}`,
  };
  const redact = (text: string) => text.replaceAll(secret, '[redacted]');
  const [told] = withoutSecrets({ ...observed, workloads: [web] }, redact).workloads;
  assert.equal(told?.healthCheckBody, `${'x'.repeat(490)}[redacted]`);
});

test('for any body, the shown text is short and has no invisible characters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      const shown = shownBeginning(readableText(Buffer.from(bytes)));
      assert.ok(Buffer.byteLength(shown) <= 500);
      assert.doesNotMatch(shown.replaceAll(/[\n\t]/g, ''), /\p{C}/u);
    }),
  );
});
