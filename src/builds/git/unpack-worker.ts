/** A thread that reads the packs of Git servers; `fetch-repository.ts` starts it. */
import { serveWork } from '../../lib/worker-pool.ts';
import { SourceError } from '../source-entry.ts';
import { type UnpackedCommit, type Unpacking, unpackCommit } from './unpack-commit.ts';

/** A refusal is a value, since an error loses its class between threads. */
export type UnpackAnswer = UnpackedCommit | { refusal: string; isTooLarge: boolean };

serveWork(async (unpacking: Unpacking): Promise<UnpackAnswer> => {
  try {
    return await unpackCommit(unpacking);
  } catch (error) {
    if (error instanceof SourceError) return { refusal: error.message, isTooLarge: error.isTooLarge };
    throw error;
  }
});
