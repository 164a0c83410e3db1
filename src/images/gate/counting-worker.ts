/** The thread that counts what layers unpack to; `counting-thread.ts` starts it. */
import { parentPort } from 'node:worker_threads';
import type { CountingOrder, CountingReport } from './counting-thread.ts';
import { countUnpacked, UnpackFault, type UnpackingCount } from './unpacked-bytes.ts';

const port = parentPort!;
const counts = new Map<number, { count: UnpackingCount; turn: Promise<void> }>();

/** A report costs as much as counting some 100 kB. */
const tellEveryBytes = 4 * 2 ** 20;

function tell(report: CountingReport): void {
  port.postMessage(report, 'piece' in report && report.piece ? [report.piece] : []);
}

function begin({ id, packing }: Extract<CountingOrder, { kind: 'begin' }>): void {
  let told = 0;
  const count = countUnpacked(packing, (bytes) => {
    if (bytes - told < tellEveryBytes) return;
    told = bytes;
    tell({ kind: 'counted', id, bytes });
  });
  counts.set(id, { count, turn: Promise.resolve() });
}

function inTurn(id: number, piece: ArrayBuffer | undefined, work: (count: UnpackingCount) => Promise<void>): void {
  const known = counts.get(id);
  if (!known) {
    tell({ kind: 'done', id, ...(piece && { piece }) });
    return;
  }
  known.turn = known.turn.then(async () => {
    try {
      await work(known.count);
      tell({ kind: 'counted', id, bytes: known.count.bytes() });
      tell({ kind: 'done', id, ...(piece && { piece }) });
    } catch (error) {
      tell({ kind: 'fault', id, fault: error instanceof UnpackFault ? error.kind : 'broken', ...(piece && { piece }) });
    }
  });
}

port.on('message', (order: CountingOrder) => {
  switch (order.kind) {
    case 'begin':
      begin(order);
      break;
    case 'chunk':
      inTurn(order.id, order.piece, (count) => count.write(Buffer.from(order.piece, 0, order.length)));
      break;
    case 'end':
      inTurn(order.id, undefined, (count) => count.end());
      break;
    case 'destroy':
      counts.get(order.id)?.count.destroy();
      counts.delete(order.id);
  }
});
