/** The door of this layer: opens the engine that the settings name. */

import { StartError } from '../lib/start-error.ts';
import { type DockerSettings, openDocker } from './docker/open.ts';
import type { KubernetesSettings } from './kubernetes/open.ts';
import { openMemory } from './memory/open.ts';
import type { EngineParts, OpenEngine } from './opening.ts';

export type EngineSettings = DockerSettings & KubernetesSettings & { engine: string };

type Opener = (settings: EngineSettings, parts: EngineParts) => Promise<OpenEngine>;

/** One line for each engine. */
const openers: Readonly<Record<string, Opener>> = {
  docker: openDocker,
  // Its library takes half as long to load as everything else: whoever has no cluster does without.
  kubernetes: async (settings, parts) => await (await import('./kubernetes/open.ts')).openKubernetes(settings, parts),
  memory: openMemory,
};

/** Throws StartError. */
export async function openEngine(settings: EngineSettings, parts: EngineParts): Promise<OpenEngine> {
  const { engine } = settings;
  const open = Object.hasOwn(openers, engine) ? openers[engine] : undefined;
  if (!open)
    throw new StartError(`BERTH_ENGINE is ${engine}: there is no such engine, but ${Object.keys(openers).join(', ')}.`);
  return await open(settings, parts);
}
