/** Objects of this installation on the engine, for the commands that list or remove them without a running service. */
import type Docker from 'dockerode';
import { openStore } from '../src/admin/open-store.ts';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../src/engine/docker/docker.ts';
import { openTenantsGroup } from '../src/engine/docker/groups/tenants-group.ts';
import { volumesFolder } from '../src/engine/docker/volumes/loop-layout.ts';
import type { Engine } from '../src/engine/engine.ts';
import { StartError } from '../src/lib/start-error.ts';
import type { Settings } from '../src/settings/settings.ts';
import { provideInstallationId } from '../src/store/installation.ts';

/** Ends the process with a sentence for the operator where the database cannot be used; otherwise as `openInstallation`. */
export async function installationOrExit(settings: Settings) {
  return await openInstallation(settings).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    process.exit(1);
  });
}

/** Undefined when nothing was ever started from this data directory. `docker`: default, the engine as usual. */
export async function openInstallation(settings: Settings, docker?: Docker) {
  const db = await openStore(settings);
  if (!db) return undefined;
  await using opening = new AsyncDisposableStack();
  opening.defer(() => db.destroy());
  const owner = await provideInstallationId(db);
  const { engine } = opening.use(await openEngineOf(settings, owner, docker));
  const open = opening.move();
  return { db, engine, owner, close: () => open.disposeAsync() };
}

/** The default suffices for commands that start nothing. */
async function openEngineOf(
  { engine: kind, dataDir, networkPool, tenantsMemory }: Settings,
  owner: string,
  docker: Docker | undefined,
): Promise<AsyncDisposable & { engine: Engine }> {
  // Loaded on demand, because its library takes half as long to load as everything else.
  if (kind === 'kubernetes') return await (await import('../src/engine/kubernetes/open.ts')).openInventory(owner);
  const connected = docker ?? (await connectDocker());
  const { group } = await openTenantsGroup(connected, owner, tenantsMemory);
  const engine = createDockerEngine({
    docker: connected,
    owner,
    networkPool,
    ...(group && { group }),
    loops: { directory: volumesFolder(dataDir), isForNew: false },
  });
  return { engine, [Symbol.asyncDispose]: async () => await group?.remove() };
}
