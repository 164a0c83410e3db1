import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { computedMs, heldBytes, networkBytes, parseAmount } from './kernel-numbers.ts';

const bytes = fc.nat(2 ** 45);

test('an amount is what is written, and `max` has no end', () => {
  assert.equal(parseAmount('4096\n'), 4096);
  assert.equal(parseAmount('max\n'), Number.POSITIVE_INFINITY);
});

test('what is held is the use without the files of either version, and never below nothing', () => {
  fc.assert(
    fc.property(bytes, bytes, bytes, bytes, (used, inactive, active, anon) => {
      const expected = Math.max(0, used - inactive - active);
      const two = `anon ${anon}\nfile 1\ninactive_file ${inactive}\nactive_file ${active}\nworkingset 3\n`;
      assert.equal(heldBytes(2, `${used}\n`, two), expected);
      // Version 1 needs the totals. The other values leave out the groups below.
      const one = `inactive_file 5\nactive_file 7\ntotal_inactive_file ${inactive}\ntotal_active_file ${active}\n`;
      assert.equal(heldBytes(1, `${used}\n`, one), expected);
    }),
  );
});

test('nanoseconds (version 1) and microseconds (version 2) are converted to milliseconds', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), (micros) => {
      assert.equal(computedMs(1, `${micros * 1000}\n`), micros / 1000);
      assert.equal(computedMs(2, `usage_usec ${micros}\nuser_usec 3\nsystem_usec 4\n`), micros / 1000);
      assert.equal(computedMs(2, `nr_periods 1\nusage_usec ${micros}`), micros / 1000);
    }),
  );
});

test('of the network all devices are counted but the loopback, however wide the numbers are', () => {
  const device = fc.record({ name: fc.constantFrom('eth0', 'eth1', 'tun-7', 'lo'), received: bytes, sent: bytes });
  const head =
    'Inter-|   Receive                                                |  Transmit\n' +
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n';
  fc.assert(
    fc.property(fc.array(device), (devices) => {
      const lines = devices.map(
        ({ name, received, sent }) =>
          `${name.padStart(6)}: ${String(received).padStart(7)} 11 0 0 0 0 0 0 ${sent} 12 0 0 0 0 0 0`,
      );
      const counted = devices.filter(({ name }) => name !== 'lo');
      assert.deepEqual(networkBytes(`${head}${lines.join('\n')}\n`), {
        receivedBytes: counted.reduce((sum, { received }) => sum + received, 0),
        sentBytes: counted.reduce((sum, { sent }) => sum + sent, 0),
      });
    }),
  );
  // Older kernels print no space after the colon.
  assert.deepEqual(networkBytes('  eth0:120 1 0 0 0 0 0 0 45 1 0 0 0 0 0 0\n'), { receivedBytes: 120, sentBytes: 45 });
});
