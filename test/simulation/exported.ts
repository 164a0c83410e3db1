/** One export of a simulated application: of one instant, also where others work on snapshots before it is read. */
import assert from 'node:assert/strict';
import { openExport } from '../../src/api/export/exported-application.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { EngineFault } from '../../src/engine/engine.ts';
import type { CopiesAs } from '../../src/engine/memory/copies.ts';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import type { Interceptor } from '../../src/engine/memory/memory-call.ts';
import type { VolumeArchive, VolumeCopies } from '../../src/engine/volume-facets.ts';
import { holdCopy } from '../../src/store/copy-holds.ts';
import type { Shop } from '../support/controlled-deployment.ts';
import { filesOfTar } from '../support/tar-files.ts';
import { type Fate, fatedCalls } from './fated-calls.ts';

export type PlayedExport = Pick<Shop, 'control' | 'world'> & {
  copiesAs: CopiesAs;
  /** The names of the volumes. */
  names: readonly string[];
  key: string;
  fate: Fate | undefined;
  note: (what: string) => void;
  meanwhile: () => Promise<void>;
};

export async function playExport(row: Deployment, played: PlayedExport): Promise<void> {
  const { control, world, copiesAs, fate, note, meanwhile } = played;
  const { db, seal, now, urlOf } = control;
  // It makes at most three calls.
  const fails = copiesAs === 'tars' && fate?.kind === 'fault' ? { ...fate, at: 1 + (fate.at % 3) } : undefined;
  const { call } = fatedCalls(fails);
  const intercept: Interceptor = (requested, perform) => call(requested.name, perform);
  const { archives, copies } = createMemoryEngine({ world, now, copiesAs, intercept });
  if (copiesAs === 'tars' && fate?.kind === 'death') return await dieOver(copies!, played);
  const service = { db, seal, now, urlOf, engine: copiesAs === 'tars' ? { copies } : { archives } };
  const wanted = { withSecrets: true, withVolumes: true };
  const { signal } = new AbortController();
  const opened = await openExport(service as never, row, wanted, { signal, onFault: () => {} });
  if (!opened.ok) return note('export refused');
  await meanwhile();
  const exported = opened.value;
  try {
    const numbers = [];
    for (const { archive } of exported.archives) numbers.push(await numberIn(archive, copiesAs));
    note('exported');
    assert.ok(new Set(numbers).size <= 1, `an export has ${numbers}`);
  } catch (error) {
    if (!(error instanceof EngineFault) || !fails) throw error;
    note('export broken');
  } finally {
    await exported[Symbol.asyncDispose]().catch(() => note('export not cleared'));
  }
}

async function numberIn(archive: VolumeArchive, copiesAs: CopiesAs): Promise<string | undefined> {
  const content = Buffer.concat(await Array.fromAsync(archive.read(new AbortController().signal)));
  if (copiesAs === 'tars') return new Map<string, string>(JSON.parse(content.toString())).get('n');
  return (await filesOfTar(content)).get('./n')?.toString();
}

/** Its process does not come back: what it has copied is there. */
async function dieOver(copies: VolumeCopies, { control, names, key, note }: PlayedExport): Promise<void> {
  const forever = () => new Promise<void>(() => {});
  await holdCopy(control.db, key, control.now, forever);
  const taken = await copies.take('shop', names, key).catch(() => undefined);
  note(taken ? 'died over an export' : 'export refused');
}
