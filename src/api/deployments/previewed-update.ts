/** The effect of an update on each pod, as an API record. */
import { setImmediate as turn } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Source } from '../../builds/sources.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import type { Deployment, Revision } from '../../deployment/deployment.ts';
import { desiredAt, wantedRevision } from '../../deployment/desired.ts';
import { podChanges, previewUpdate, type UpdatePreview } from '../../deployment/preview/update-preview.ts';
import { noEgress } from '../../deployment/workload/egress.ts';
import { builtFromContent } from '../../store/builds.ts';
import { revisionOf, settledImages } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import type { Service } from '../api-service.ts';

export const PreviewFields = {
  pods: Type.Array(
    Type.Object({
      name: Type.String(),
      change: Type.Enum([...podChanges], {
        description:
          '`replaced`: the new pod is ready before the old pod is removed. `restarted`: the old pod stops first. Containers keep running if the pod is `scaled`, `grown`, or `rerouted`.',
      }),
      keepsData: Type.Boolean({ description: 'Whether the pod keeps its stored data.' }),
      volumes: Type.Array(
        Type.Object({
          title: Type.String({ examples: ['volume data of pod db'] }),
          change: Type.Enum(['kept', 'grown', 'new', 'left'], {
            description:
              '`new`: the volume is created empty. `left`: the pod no longer uses the volume, whose data stays.',
          }),
          sizeBytes: Type.Integer(),
          fromBytes: Type.Optional(Type.Integer()),
        }),
      ),
      because: Type.String(),
      warnings: Type.Array(
        Type.Object({ code: Type.String(), message: Type.String(), hint: Type.Optional(Type.String()) }),
        { description: 'Unexpected effects, such as a password that an existing database ignores.' },
      ),
    }),
  ),
  interrupted: Type.Array(Type.String(), { description: 'Public paths that are unavailable during the update.' }),
};

type Previewed = { spec: AppSpec; repeats?: number | undefined; source?: Source | undefined };

/** As `previewOf`, computed at the first call only, because a large configuration takes time. */
export function previewOnce(
  service: Service,
  deployment: Deployment,
  requested: Previewed,
): () => Promise<UpdatePreview> {
  let preview: Promise<UpdatePreview> | undefined;
  return () => {
    preview ??= previewOf(service, deployment, requested);
    return preview;
  };
}

/**
 * Compares an update with the running revision. A tag in both is assumed to mean the same image, without a registry
 * request. With `repeats`, tags have the meaning that they had in that revision. Images of `source` are new, unless they
 * were built from the same files before.
 */
async function previewOf(
  { db, seal, urlOf, now }: Service,
  deployment: Deployment,
  { spec, repeats, source }: Previewed,
): Promise<UpdatePreview> {
  const current = await revisionOf(db, seal, deployment.id, wantedRevision(deployment));
  const derive = await derivationOf(db, seal, deployment.id);
  const earlier = repeats === undefined ? {} : await settledImages(db, deployment.id, repeats);
  const built = source && (await builtImages(db, deployment.id, source));
  const images = { ...current.images, ...earlier, ...built };
  const next: Revision = { number: deployment.revision + 1, spec, images };
  // The plan decides the egress. Updates do not change it.
  const resolution = { now: now(), url: urlOf(deployment.label), derive, egress: noEgress };
  // An update starts a stopped deployment. The effect on each pod is the same.
  const started = { ...deployment, stoppedAt: null };
  const before = desiredAt(started, current, resolution);
  // Each large configuration takes time and blocks other requests.
  await turn();
  const after = desiredAt(started, next, resolution);
  await turn();
  // The deployment was active a moment ago. If its time limit was reached since then, the update changes nothing.
  if (before.kind !== 'running' || after.kind !== 'running') return { pods: [], interrupted: [] };
  return previewUpdate({ spec: current.spec, desired: before }, { spec, desired: after });
}

/**
 * The unexpected effects of an update, one sentence per affected pod. Empty if no pod has data. Call it before the update
 * is written.
 */
export async function surprisesOf(spec: AppSpec, preview: () => Promise<UpdatePreview>): Promise<string[]> {
  // Pods without volumes cannot be affected, and a preview of many pods takes time.
  if (spec.pods.every(({ volumes }) => volumes.length === 0)) return [];
  const { pods } = await preview();
  return pods.flatMap(({ name, warnings }) =>
    warnings.map(({ message, hint }) => `pod ${name}: ${message}${hint === undefined ? '' : ` (${hint})`}`),
  );
}

/** Returns references by the names of images. The reference of an image that is not built yet is its name. */
async function builtImages(
  db: Service['db'],
  deploymentId: string,
  { content, images }: Source,
): Promise<Record<string, string>> {
  const names = images.map(({ name }) => name);
  const before = await builtFromContent(db, { deploymentId, content }, names);
  if (before) return Object.fromEntries(before.images.map(({ image, reference }) => [image, reference]));
  return Object.fromEntries(names.map((name) => [name, name]));
}
