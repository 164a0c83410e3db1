import type { CommandCheck, HealthCheck, HttpCheck } from './spec.ts';

/** Whether the health check has a test of its own, and does not only change the default readiness check. */
export function hasTest(check: HealthCheck | undefined): check is HttpCheck | CommandCheck {
  return check !== undefined && ('path' in check || 'command' in check);
}
