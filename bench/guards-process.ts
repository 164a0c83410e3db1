/** The API in a process of its own, which says how late its timers come. `guards.ts` starts it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseConfiguration } from '../src/config/parse.ts';
import { largeDocuments } from '../test/hostile/large-documents.ts';
import { testApi } from '../test/support/api.ts';

const boundless = { count: Number.MAX_SAFE_INTEGER, windowMs: 60_000 };
const resolution = 5;

const { app } = await testApi({ rate: boundless, documentRate: boundless });
const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
const delays = monitorEventLoopDelay({ resolution });
delays.enable();
// On a busy machine, timers fire late even if this process is idle. The processor time shows its own part.
let before = process.threadCpuUsage();
let turn = 0;
const look = () => {
  turn = Math.max(turn, processorMs(before));
  before = process.threadCpuUsage();
};
setInterval(look, resolution).unref();

process.on('message', (question) => {
  switch (question) {
    case 'read':
      return process.send!(Object.values(largeDocuments).map(readingMs));
    case 'reset':
      delays.reset();
      look();
      turn = 0;
      return process.send!('done');
    case 'lateness':
      return process.send!({ p99: late(delays.percentile(99)), longest: late(delays.max), turn });
  }
});
process.once('disconnect', () => process.exit());
process.send!({ port: Number(port) });

function readingMs(text: string): number {
  const before = process.threadCpuUsage();
  parseConfiguration(text);
  return processorMs(before);
}

function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}

/** The histogram holds the time between two looks. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - resolution);
}
