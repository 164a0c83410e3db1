/** How a deployment does, in the one word that the service has for it. */
import type { Status } from '../service/records.ts';

export function HealthBadge({ health, role }: { health: Status['health'] | 'ended'; role?: 'status' }) {
  return (
    <span className={`badge ${health}`} role={role}>
      {health}
    </span>
  );
}
