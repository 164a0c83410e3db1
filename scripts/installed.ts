/** What this installation has on the engine, for the commands that list or remove it while no service needs to run. */
import type Docker from 'dockerode';
import { openStore } from '../src/admin/open-store.ts';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../src/engine/docker/docker.ts';
import { openGroups } from '../src/engine/docker/groups/open.ts';
import { volumesFolder } from '../src/engine/docker/volumes/loop-layout.ts';
import type { Settings } from '../src/settings/settings.ts';
import { provideInstallationId } from '../src/store/installation.ts';

/** Undefined when nothing was ever started from this data directory. `docker`: default, the engine as usual. */
export async function openInstallation(settings: Settings, docker?: Docker) {
  const { dataDir, networkPool } = settings;
  const db = await openStore(settings);
  if (!db) return undefined;
  const owner = await provideInstallationId(db);
  const connected = docker ?? (await connectDocker());
  const { groups } = await openGroups(connected, { owner, controlGroups: 'auto', shares: 1024, startsIdle: false });
  const engine = createDockerEngine({
    ...{ docker: connected, owner, networkPool },
    ...(groups && { groups }),
    loops: { directory: volumesFolder(dataDir), isForNew: false },
  });
  return { db, engine, owner };
}
