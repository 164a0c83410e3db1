/** A thread that reads large documents; `reader.ts` starts it. */
import { serveWork } from '../../../lib/worker-pool.ts';
import { type ReadRequest, read } from './read-document.ts';

serveWork((question: ReadRequest) => read(question));
