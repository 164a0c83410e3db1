/**
 * PURE. The overlay of `npm run start:kubernetes` on `deploy/kubernetes/small`: the image, the settings, the class of
 * the claim.
 */
import { createHash } from 'node:crypto';
import { parseDocument } from 'yaml';

export type Overlay = {
  /** `registry.example.com/berth:1`; `berth:0.1.0` is on the nodes. */
  image: string;
  settings: Readonly<Record<string, string>>;
};

/** Files of a folder next to `small`, by name. `given`: the settings of `small`, as YAML. */
export function overlayFiles({ image, settings }: Overlay, given: string): Record<string, string> {
  const { name, tag } = partsOf(image);
  const document = parseDocument(given);
  for (const [key, value] of Object.entries(settings)) document.setIn(['data', key], value);
  const configuration = document.toString();
  // Pods read settings at their start, so changed settings need new pods.
  const hash = createHash('sha256').update(configuration).digest('hex').slice(0, 16);
  const storageClass = settings.BERTH_STORAGE_CLASS;
  const patches = ['settings.yaml', 'pods.yaml', ...(storageClass ? ['claim.yaml'] : [])];
  return {
    'kustomization.yaml': json({
      namespace: 'berth-system',
      bases: ['../small'],
      patchesStrategicMerge: patches,
      images: [{ name: 'berth', newName: name, newTag: tag }],
    }),
    'settings.yaml': configuration,
    'pods.yaml': json({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'berth' },
      spec: { template: { metadata: { annotations: { 'berth.settings': hash } } } },
    }),
    ...(storageClass && {
      'claim.yaml': json({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'berth-data' },
        spec: { storageClassName: storageClass },
      }),
    }),
  };
}

/** A registry's port may look like a tag. */
function partsOf(image: string): { name: string; tag: string } {
  const [, name = image, tag = 'latest'] = /^(.+?)(?::([^:/]+))?$/.exec(image) ?? [];
  return { name, tag };
}

/** Every JSON document is a YAML document. */
function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
