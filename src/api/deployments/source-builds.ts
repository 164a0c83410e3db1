/** Revisions with images that are built from a source: the writes of the transaction, and the work after it. */
import type { Source } from '../../builds/sources.ts';
import { addBuild } from '../../store/builds.ts';
import type { Database } from '../../store/database.ts';
import type { Service } from '../api-service.ts';

/** The images that need not exist when the revision is written. */
export function builtFrom(source: Source | undefined): { built?: ReadonlySet<string> } {
  return source ? { built: new Set(source.images.map(({ name }) => name)) } : {};
}

/** Runs in the transaction that writes the revision. A source without images to build is only a document. */
export async function requestBuild(
  db: Database,
  { seal, builds, now }: Service,
  { deploymentId, revision, source }: { deploymentId: string; revision: number; source: Source },
): Promise<void> {
  if (source.images.length === 0 || !builds) return;
  const { place } = builds.sources;
  const { id, content, images } = source;
  await addBuild(db, seal, { deploymentId, revision, source: id, content, place, images, createdAt: now() });
}

/** After the transaction. */
export function retainSource({ builds }: Service, { id, images }: Source): void {
  if (images.length === 0) return;
  builds?.sources.retain(id);
  builds?.wake();
}
