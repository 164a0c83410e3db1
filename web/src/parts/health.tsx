/** The health of a deployment, in the service's word. */
import type { Status } from '../service/records.ts';

export function HealthBadge({ health, role }: { health: Status['health'] | 'ended'; role?: 'status' }) {
  return (
    <span className={`badge ${health}`} role={role}>
      {health}
    </span>
  );
}
