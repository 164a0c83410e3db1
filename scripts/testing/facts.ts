/** A reporter for Node's runner that reports events to another process, on file descriptor 3: a line of JSON each. */
import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { processorMs } from './processor-use.ts';

export type Fact =
  /** The file starts. Written at once, because the reporter's own events may lag behind. */
  | { kind: 'reached'; file: string }
  | { kind: 'began'; name: string; nesting: number }
  | {
      kind: 'ended';
      name: string;
      nesting: number;
      outcome: 'passed' | 'failed' | 'skipped';
      isSuite: boolean;
      tookMs: number;
      /** The reason for the skip, if the test has one. */
      reason?: string;
    }
  /** All tests have ended. */
  | { kind: 'closed'; processorMs: number };

export default async function* printFacts(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const fact = factOf(event);
    if (fact) printFact(fact);
  }
  yield '';
}

export function printFact(fact: Fact): void {
  writeSync(3, `${JSON.stringify(fact)}\n`);
}

function factOf(event: TestEvent): Fact | undefined {
  switch (event.type) {
    case 'test:dequeue':
      return { kind: 'began', name: event.data.name, nesting: event.data.nesting };
    case 'test:pass':
    case 'test:fail': {
      const { name, nesting, details, skip, todo } = event.data;
      const isSkipped = skip !== undefined || todo !== undefined;
      const outcome = isSkipped ? 'skipped' : event.type === 'test:pass' ? 'passed' : 'failed';
      const isSuite = details.type === 'suite';
      const reason = typeof skip === 'string' && skip !== '' ? { reason: skip } : {};
      return { kind: 'ended', name, nesting, outcome, isSuite, tookMs: details.duration_ms, ...reason };
    }
    case 'test:summary':
      return { kind: 'closed', processorMs: processorMs() };
    default:
      return undefined;
  }
}
