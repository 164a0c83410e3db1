/** PURE. Why a manifest cannot be run, in words for the owner of a deployment. */
import type { ManifestFault } from '../manifests/manifest.ts';

/** Behind "Image x …". */
export function whyNotRun(fault: ManifestFault): string {
  switch (fault.kind) {
    case 'schema-version':
      return fault.found === 1 ? 'is in a format from before 2016; push it again' : noManifest;
    case 'media-type':
    case 'config-type':
      return `is not a container image: ${shown(fault.found)}`;
    case 'foreign-layer':
      return 'has layers that its registry does not have (foreign layers)';
    case 'layer-type':
      return `has a layer of an unknown kind: ${shown(fault.found)}`;
    case 'urls':
      return 'has parts outside of its registry (urls)';
    case 'digest':
      return `has a digest that is not sha256: ${shown(fault.found)}`;
    default:
      return noManifest;
  }
}

const noManifest = 'has an invalid manifest, or one with more values than an image needs';

/** Words of a stranger's: letters, digits and separators at most, and not many. */
export function shown(text: unknown): string {
  const name = typeof text === 'string' ? text.replaceAll(/[^\w.+/:-]/g, '?') : 'nothing';
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
