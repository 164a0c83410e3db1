/** Events and pods as the service sends them to the dashboard. */
import type { DeploymentEvent } from '../../src/deployment/event/event.ts';
import { describeEvent } from '../../src/deployment/event/event-text.ts';
import type { StreamedEvent } from '../../web/src/deployment/event-text.ts';
import type { PodState } from '../../web/src/service/records.ts';

export const noon = Date.UTC(2026, 0, 1, 12);

/** Each with its milliseconds after noon, numbered from `from`. */
export function streamedEvents(events: readonly [ms: number, event: DeploymentEvent][], from = 1): StreamedEvent[] {
  return events.map(([ms, event], index) => {
    const at = new Date(noon + ms).toISOString();
    const number = from + index;
    return { ...event, number, sequence: number, count: 1, firstAt: at, at, message: describeEvent(event) };
  });
}

export function podOf(name: string, state: PodState['state'], fields: Partial<PodState> = {}): PodState {
  return { name, state, image: 'nginx:1', revision: 1, restarts: 0, ...fields };
}
