/** What an update does otherwise than its author may expect, told with its answer as the preview tells it before. */
import type { AppSpec } from '../../config/spec/spec.ts';
import type { UpdatePreview } from '../../deployment/preview/update-preview.ts';

/** Sentences, each with its pod; none where no pod has data. To be asked before the update is written. */
export async function surprisesOf(spec: AppSpec, preview: () => Promise<UpdatePreview>): Promise<string[]> {
  // Of pods without volumes nothing is told, and a preview of many pods costs time.
  if (spec.pods.every(({ volumes }) => volumes.length === 0)) return [];
  const { pods } = await preview();
  return pods.flatMap(({ name, warnings }) =>
    warnings.map(({ message, hint }) => `pod ${name}: ${message}${hint === undefined ? '' : ` (${hint})`}`),
  );
}
