/** The facet `archives`: the contents of volumes, for exports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract, type Header } from 'tar-stream';
import { facetOf } from '../../src/engine/engine.ts';
import type { VolumeArchive } from '../../src/engine/volume-facets.ts';
import type { Stage } from './engine.ts';
import { createVolume } from './scene.ts';

export type Unpacked = Map<string, { header: Header; content: string }>;

/** Returns the files by name, without the leading `./`. */
export async function unpacked(archive: VolumeArchive): Promise<Unpacked> {
  const { signal } = new AbortController();
  const found: Unpacked = new Map();
  let bytes = 0;
  const stream = archive.read(signal).on('data', (piece: Uint8Array) => {
    bytes += piece.length;
  });
  for await (const entry of stream.pipe(extract())) {
    const pieces: Uint8Array[] = [];
    for await (const piece of entry) pieces.push(piece as Uint8Array);
    const name = entry.header.name.replace(/^\.\//, '').replace(/\/$/, '');
    found.set(name, { header: entry.header, content: Buffer.concat(pieces).toString() });
  }
  assert.equal(bytes, archive.sizeBytes);
  return found;
}

const volumes = [{ volume: 'data', mountPath: '/srv' }];

export function archivesContract({ contractor, newScene }: Stage): void {
  const archives = () => facetOf(contractor().engine, 'archives');

  test('archives contain the volumes as they were then, independent of later writes', async () => {
    if (!contractor().limitsVolumes) return;
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'), createVolume('other'));
    await scene.output({ ...scene.job('first', 'append', '/srv/log', 'before'), volumes });
    await using taken = await archives().take(scene.id, ['data', 'other', 'never-made']);
    await scene.output({ ...scene.job('second', 'append', '/srv/log', 'after'), volumes });
    assert.deepEqual(taken.archives.map(({ volume, below }) => volume + below).sort(), ['data', 'other']);
    const data = await unpacked(taken.archives.find(({ volume }) => volume === 'data')!);
    assert.deepEqual([...data.keys()].sort(), ['', 'log']);
    assert.equal(data.get('log')!.content.trim(), 'before');
  });

  test("archives of a neighbour's volume are not accessible", async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const { neighbour } = contractor();
    await using taken = await facetOf(neighbour, 'archives').take(scene.id, ['data']);
    assert.deepEqual(taken.archives, []);
  });
}
