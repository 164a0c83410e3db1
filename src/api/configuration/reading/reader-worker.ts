/** A thread that reads large documents; `reader.ts` starts it. */
import { serveWork } from '../../../lib/worker-pool.ts';
import { type Question, read } from './read-document.ts';

serveWork((question: Question) => read(question));
