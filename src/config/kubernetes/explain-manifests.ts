/** Kubernetes manifests in place of a configuration: the refusal, with the converted document as its fix. Pure. */
import type { Diagnostic } from '../diagnostics/diagnostics.ts';
import { kubernetesHint, kubernetesMessage } from '../document/foreign-formats.ts';
import { maxDocumentBytes } from '../document/source.ts';
import { convertManifests } from './convert.ts';
import { isManifestText, readManifests } from './manifests.ts';

/** Undefined if the text is of another form, or is not valid YAML. */
export function explainManifests(text: string): Diagnostic[] | undefined {
  if (text.length > maxDocumentBytes || !isManifestText(text)) return undefined;
  const manifests = readManifests(text);
  if (!manifests || manifests.length === 0) return undefined;
  const line = text.slice(0, text.search(/^\W{0,3}apiVersion/m)).split('\n').length;
  const refusal = { severity: 'error', code: 'foreign-form', path: '', line, column: 1 } as const;
  const converted = convertManifests(manifests);
  if (!converted) return [{ ...refusal, message: kubernetesMessage, hint: kubernetesHint }];
  const { pods, missing } = converted;
  return [
    {
      ...refusal,
      message: `${kubernetesMessage}, not a configuration`,
      hint: `deploy the converted configuration with ${pods === 1 ? 'one pod' : `${pods} pods`}: POST /validate?fix=true returns it as "fixed"`,
      fix: { from: 0, to: text.length, text: converted.text },
    },
    ...missing.map(
      (what): Diagnostic => ({
        severity: 'warning',
        code: 'not-converted',
        path: '',
        line,
        column: 1,
        message: `not in the converted configuration: ${what}`,
      }),
    ),
  ];
}
