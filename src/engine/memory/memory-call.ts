/** The calls of the in-memory engine's port, which an interceptor can handle. */
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
 * Intercepts a call: performs it or not, now or later, and returns or throws. `halfway` stops a start between the
 * creation of the container and its start, like a crash, and a swap between two volumes. Other calls cannot be stopped
 * halfway.
 */
export type Interceptor = <T>(call: MemoryCall, perform: (extent?: 'halfway') => T) => Promise<T>;
