/** Warns about databases without a volume, which lose their data with an update. */
import { unsavedData } from '../software/data-directories.ts';
import { shortNameOf } from '../values/image-names.ts';
import type { PodContext } from './context.ts';

export function checkUnsavedData({ pod, path, report }: PodContext): void {
  const unsaved = unsavedData(pod);
  if (!unsaved) return;
  const name = shortNameOf(pod.image);
  const message = unsaved.hasOthers
    ? `no volume is where ${name} keeps its data: an update deletes it`
    : `${name} has no volume: an update deletes its data`;
  report.warn([...path, 'image'], 'database-without-volume', message, {
    hint: `add "volumes: [{ name: data, size: 1Gi, mountPath: ${unsaved.directory} }]"`,
  });
}
