/** Unexpected effects of an update, in its response as in the preview. */
import type { AppSpec } from '../../config/spec/spec.ts';
import type { UpdatePreview } from '../../deployment/preview/update-preview.ts';

/** One sentence per affected pod; empty if no pod has data. Call it before the update is written. */
export async function surprisesOf(spec: AppSpec, preview: () => Promise<UpdatePreview>): Promise<string[]> {
  // Pods without volumes cannot be affected, and a preview of many pods takes time.
  if (spec.pods.every(({ volumes }) => volumes.length === 0)) return [];
  const { pods } = await preview();
  return pods.flatMap(({ name, warnings }) =>
    warnings.map(({ message, hint }) => `pod ${name}: ${message}${hint === undefined ? '' : ` (${hint})`}`),
  );
}
