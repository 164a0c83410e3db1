/** The entry point of this layer: opens the engine that the settings name. */

import type { ImageSettings } from '../images/open.ts';
import { StartError } from '../lib/start-error.ts';
import { type DockerSettings, openDocker } from './docker/open.ts';
import type { KubernetesSettings } from './kubernetes/open.ts';
import { openMemory } from './memory/open.ts';
import type { CopiesParts, EngineParts, OpenCopies, OpenEngine } from './opening.ts';

export type EngineSettings = DockerSettings & KubernetesSettings & { engine: string };

/** The settings that copies of volumes need. */
export type CopiesSettings = KubernetesSettings & ImageSettings & { engine: string };

type Opener = (settings: EngineSettings, parts: EngineParts) => Promise<OpenEngine>;

/** One entry for each engine. */
const openers: Readonly<Record<string, Opener>> = {
  docker: openDocker,
  // Loaded on demand, because its library takes half as long to load as everything else.
  kubernetes: async (settings, parts) => await (await import('./kubernetes/open.ts')).openKubernetes(settings, parts),
  memory: openMemory,
};

/** Throws StartError. */
export async function openEngine(settings: EngineSettings, parts: EngineParts): Promise<OpenEngine> {
  const { engine } = settings;
  const open = Object.hasOwn(openers, engine) ? openers[engine] : undefined;
  if (!open)
    throw new StartError(`BERTH_ENGINE is ${engine}: the engine must be one of ${Object.keys(openers).join(', ')}.`);
  return await open(settings, parts);
}

/**
 * Opens only the copies of volumes that are on other machines. Returns undefined if volumes are on this machine. Throws
 * StartError and EngineFault.
 */
export async function openCopiesElsewhere(
  settings: CopiesSettings,
  parts: CopiesParts,
): Promise<OpenCopies | undefined> {
  if (settings.engine !== 'kubernetes') return undefined;
  return await (await import('./kubernetes/open.ts')).openCopies(settings, parts);
}
