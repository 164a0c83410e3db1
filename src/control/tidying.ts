/**
 * Tidying: one listing of the whole engine tells who is to be visited and what nobody wants. It costs little where little
 * has changed, however much there is.
 */
import { createAttention } from './attention.ts';
import type { Control } from './control.ts';
import { survey } from './survey.ts';
import { type Swept, sweep } from './sweep.ts';

export type Tidied = {
  /** Ids of deployments that are due now because of it. */
  changed: string[];
  swept: Swept;
  /** Of how many deployments there is something on the engine. */
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
      // The engine first: what appears after this has its row before it, so it is never taken for an orphan.
      const owned = await control.engine.listOwned();
      const things = Map.groupBy(owned, ({ deploymentId }) => deploymentId);
      try {
        const ids = await attention.direct(things);
        const changed = await survey(control, things, ids);
        const swept = await sweep({ ...control, graceMs: control.settings.graceMs }, things, ids);
        // Until they are gone.
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
