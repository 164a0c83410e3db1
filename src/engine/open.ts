/** The door of this layer: opens the engine that the settings name. */
import { type DockerSettings, openDocker } from './docker/open.ts';
import { openMemory } from './memory/open.ts';
import type { EngineParts, OpenEngine } from './opening.ts';

export type EngineSettings = DockerSettings & { engine: keyof typeof openers };

/** One line for each engine. */
const openers = { docker: openDocker, memory: openMemory };

/** Throws StartError. */
export async function openEngine(settings: EngineSettings, parts: EngineParts): Promise<OpenEngine> {
  return await openers[settings.engine](settings, parts);
}
