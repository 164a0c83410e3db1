/** Work for the tests of the pool: easy, endless, greedy and broken. */
import { threadId } from 'node:worker_threads';
import { serveWork } from '../../src/lib/worker-pool.ts';

export type Asked = 'easy' | 'thread' | 'endless' | 'greedy' | 'broken';

serveWork((requested: Asked): string => {
  switch (requested) {
    case 'easy':
      return 'done';
    case 'thread':
      return String(threadId);
    case 'endless':
      for (;;) requested.repeat(10);
    case 'greedy':
      for (const kept: number[][] = []; ; ) kept.push(Array.from({ length: 10_000 }, (_, index) => index));
    case 'broken':
      throw new TypeError('a fault of ours');
  }
});
