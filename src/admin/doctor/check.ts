/** The doctor's verdict on one requirement of a public installation. */

/**
 * `bad`: it does not work, or is dangerous. `warn`: it works, but something is likely missing. `unknown`: it could not
 * be checked, or does not apply.
 */
export type State = 'good' | 'warn' | 'bad' | 'unknown';

/** `observed` and `todo` are sentences for the operator, and may name what they have set. */
export type Check = { name: string; state: State; observed: string; todo?: string };

export const good = (name: string, observed: string): Check => ({ name, state: 'good', observed });
export const warn = (name: string, observed: string, todo: string): Check => ({ name, state: 'warn', observed, todo });
export const bad = (name: string, observed: string, todo: string): Check => ({ name, state: 'bad', observed, todo });
export const unknown = (name: string, observed: string, todo?: string): Check => ({
  name,
  state: 'unknown',
  observed,
  ...(todo !== undefined && { todo }),
});

/** The observed value, or a short reason why it could not be observed. */
export type Observation<T> = { value: T } | { fault: string };
