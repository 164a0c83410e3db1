/** Visitors of a story: their requests wake up deployments that sleep. */

import { wakeDeployment } from '../../src/store/sleep.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { pick, type Stage } from './acts.ts';
import type { Subject } from './witness.ts';

export function createVisitors({ story, db, clock, processes, random, witness, note, report }: Stage) {
  /** Returns how many deployments the requests have woken up. */
  async function visit(subjects: readonly Subject[]): Promise<number> {
    let woken = 0;
    for (const { id } of subjects) {
      const isWoken = await wakeDeployment(db, id, clock.now()).catch((error: unknown) => {
        // The client sends its request again.
        if (!(error instanceof StoreFault)) throw error;
      });
      if (!isWoken) continue;
      woken++;
      note('wake');
      report(`    a request wakes ${id} up`);
      for (const process of processes) if (random() < story.heardShare) process.wake(id);
    }
    return woken;
  }

  return {
    visit,
    /** Sends the requests of the story at their times. */
    async begin(isOver: () => boolean): Promise<void> {
      const visits = story.visits.map(async ({ atMs, which }) => {
        await clock.wait(atMs);
        const subject = pick(witness.subjects, which);
        if (subject && !isOver()) await visit([subject]);
      });
      await Promise.all(visits);
    },
  };
}
