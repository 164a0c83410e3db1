/**
 * Reads documents. Short documents are read at once. Longer ones are read in worker threads, because reading blocks the
 * event loop. Each client has its own queue.
 */
import { availableParallelism } from 'node:os';
import type { Diagnostic } from '../../../config/diagnostics/diagnostics.ts';
import { type Result, succeed } from '../../../lib/problem.ts';
import { createPool, type Outcome, type PoolOptions } from '../../../lib/worker-pool.ts';
import {
  type InputOf,
  type Kind,
  type OutputOf,
  type ReadRequest,
  read,
  refuseConfiguration,
} from './read-document.ts';

/**
 * Length in UTF-16 units. Any document of this length takes 10 to 40 ms. The example of `npm start` is a little
 * shorter, so that it need not wait for a thread.
 */
const longestHere = 16 * 1024;

/** Correcting reads a document again after each round, and there are several. */
const longestCorrectedHere = 4 * 1024;

const options: PoolOptions = {
  file: new URL('reader-worker.ts', import.meta.url),
  // One processor stays free for everything else.
  width: Math.max(1, Math.min(4, availableParallelism() - 1)),
  // The slowest known documents of 256 KiB take 1.2 s on a slow machine.
  budgetMs: 10_000,
  // Reading such a document uses up to 150 MiB.
  memoryMib: 512,
  idleMs: 60_000,
  // 64 documents of 256 KiB, at most 32 MiB in total.
  max: { each: 4, all: 64 },
};

export type Reader = {
  /** Always ends. Refuses if the text takes too much time or memory, or if too many texts are being parsed. */
  read<K extends Kind>(client: string, kind: K, requested: InputOf<K>): Promise<Result<OutputOf<K>>>;
  close(): Promise<void>;
};

/** @param changed for tests: other limits, or another length above which a thread is used. */
export function createReader(changed: Partial<PoolOptions> & { longestHere?: number } = {}): Reader {
  const pool = createPool<ReadRequest, OutputOf<Kind>>({ ...options, ...changed });
  const longest = { unwrap: longestHere, parse: longestHere, correct: longestCorrectedHere };
  return {
    async read<K extends Kind>(client: string, kind: K, requested: InputOf<K>): Promise<Result<OutputOf<K>>> {
      if (requested.text.length <= (changed.longestHere ?? longest[kind]))
        return succeed(read({ kind, input: requested }));
      const outcome = await pool.run(client, { kind, input: requested });
      return resultOf(outcome as Outcome<OutputOf<K>>);
    },
    close: () => pool.close(),
  };
}

/** Converts an outcome of the worker pool to a response for the client. */
export function resultOf<Answer>(outcome: Outcome<Answer>): Result<Answer> {
  if (outcome.kind === 'done') return succeed(outcome.answer);
  if (outcome.kind === 'costly') return refuseConfiguration({ kind: 'unparsable', diagnostics: [tooCostly] });
  return { ok: false, problem: outcome.because === 'client' ? tooManyOfClient : tooManyOfAll };
}

const tooCostly: Diagnostic = {
  severity: 'error',
  code: 'too-costly',
  path: '',
  line: 1,
  column: 1,
  message: 'the document takes too much processor time or memory to read',
  hint: 'make it shorter or simpler; large files belong in an image',
};

const tooManyOfClient = {
  code: 'rate_limited',
  error: 'Several large configurations from your address are being read already.',
  hint: 'Wait a second, then send them one at a time.',
  retryAfterSeconds: 1,
} as const;

const tooManyOfAll = {
  code: 'capacity_exhausted',
  error: 'The server is reading as many large configurations as it can.',
  hint: 'Try again in 5 seconds.',
  retryAfterSeconds: 5,
} as const;
