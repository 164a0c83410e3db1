/**
 * Tidying: one listing of the whole engine shows which deployments to visit and which objects to remove. The cost
 * depends on the number of changes, not on the number of objects.
 */
import { createAttention } from './attention.ts';
import type { Control } from './control.ts';
import { survey } from './survey.ts';
import { type Swept, sweep } from './sweep.ts';

export type Tidied = {
  /** Ids of deployments that became due. */
  changed: string[];
  swept: Swept;
  /** The number of deployments with objects on the engine. */
  present: number;
};

export type Tidying = {
  tidy(): Promise<Tidied>;
  /** A visit to the deployment has ended. */
  visited(deploymentId: string): void;
};

export function createTidying(control: Pick<Control, 'db' | 'engine' | 'metrics' | 'now' | 'settings'>): Tidying {
  const attention = createAttention(control.db);
  return {
    visited: attention.look,
    async tidy() {
      // The engine first: an object that appears after this has its row before it, so it is never taken for an orphan.
      const owned = await control.engine.listOwned();
      const things = Map.groupBy(owned, ({ deploymentId }) => deploymentId);
      try {
        const ids = await attention.direct(things);
        const changed = await survey(control, things, ids);
        const swept = await sweep({ ...control, graceMs: control.settings.graceMs }, things, ids);
        // Until they are removed.
        for (const { deploymentId } of swept.removed) attention.look(deploymentId);
        for (const deploymentId of swept.held) attention.look(deploymentId);
        return { changed, swept, present: things.size };
      } catch (error) {
        attention.lookAtAll();
        throw error;
      }
    },
  };
}
