/** A thread that reads sources; `sources.ts` starts it. */
import { serveWork } from '../lib/worker-pool.ts';
import { planSource } from './plan-source.ts';

serveWork(planSource);
