import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarioTable } from './scenario-table.ts';
import type { FileReport } from './verdict.ts';

const report = (name: string, more: Partial<FileReport> = {}): FileReport => ({
  file: `test/scenarios/${name}.test.ts`,
  tookMs: 1,
  processorMs: 1,
  passed: 2,
  skipped: 0,
  skips: [],
  failures: [],
  ...more,
});

test('each file has its counts on each store and engine, and each failure its reason', () => {
  const skips = [{ name: 'by hand', reason: 'it needs Docker' }];
  const table = scenarioTable([
    { title: 'SQLite + Docker', reports: [report('updates'), report('claim')], leftOut: [] },
    {
      title: 'PostgreSQL + Kubernetes',
      reports: [report('updates', { passed: 0, skipped: 1, skips, failures: ['loses none'] })],
      leftOut: [{ file: 'test/scenarios/gvisor.test.ts', reason: 'containers of Docker in gVisor' }],
    },
  ]);
  assert.deepEqual(table.split('\n'), [
    '| Passed / skipped / failed | SQLite + Docker | PostgreSQL + Kubernetes |',
    '| --- | --- | --- |',
    '| claim | 2 / 0 / 0 | not run |',
    '| gvisor | not run | left out |',
    '| updates | 2 / 0 / 0 | 0 / 1 / 1 |',
    '| **all** | **4 / 0 / 0** | **0 / 1 / 1, 1 files left out** |',
    '',
    'PostgreSQL + Kubernetes:',
    '',
    '- left out: gvisor: containers of Docker in gVisor',
    '- skipped: updates: by hand: it needs Docker',
    '- failed: updates: loses none',
  ]);
});
