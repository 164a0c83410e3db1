/** The calls of the in-memory engine's port, and what stands between each of them and what it does. */
import type { EngineCore } from '../engine.ts';
import type { MemoryOperation } from './operations.ts';

/** A call of the engine's port. Operations of facets count as executions, like those of the core. */
export type MemoryCall = {
  name:
    | Exclude<keyof EngineCore, 'watch' | 'followLogs'>
    | `images.${'list' | 'remove'}`
    | 'disk.use'
    | 'usage'
    | `copies.${'take' | 'read' | 'make' | 'fill' | 'finish' | 'swap' | 'clear'}`
    | 'archives.take';
  deploymentId?: string;
  operation?: MemoryOperation;
};

/**
 * Intercepts a call: performs it or not, sooner or later, answers or throws. `halfway` stops a start between the
 * creation of the container and its start, as a crash does, and a swap between two volumes. Other calls have no middle.
 */
export type Interceptor = <T>(call: MemoryCall, perform: (extent?: 'halfway') => T) => Promise<T>;
