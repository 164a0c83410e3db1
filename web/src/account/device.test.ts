import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceIn } from './device.ts';

test('a browser is described by its name and its system', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const known = {
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`]: 'Chrome on Linux',
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]:
      'Edge on Windows',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.6; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Mac',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1':
      'Safari on iPhone',
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`]: 'Chrome on Android',
    'curl/8.0': undefined,
  };
  assert.deepEqual(Object.keys(known).map(deviceIn), Object.values(known));
});
