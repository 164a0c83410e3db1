/** A thread that reads large documents; `reader.ts` starts it. */
import { serveWork } from '../../lib/worker-pool.ts';
import { type Question, read } from './reading.ts';

serveWork((question: Question) => read(question));
