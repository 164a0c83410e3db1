/** PURE. Refuses more containers, volumes or GPUs than a deployment can ever have, at the pod with the most. */
import type { Finding } from '../../config/checks/checks.ts';
import type { AppSpec, PodSpec } from '../../config/spec/spec.ts';
import { replicasOf } from '../desired-volumes.ts';
import type { Counts } from './count-limits.ts';
import type { Maximum, Present } from './deployment-maximum.ts';
import { growth } from './host-budget.ts';
import { ownerPhrase } from './limit-owner.ts';
import { countOf } from './plan-tier.ts';
import { amountOf, copiesOf } from './pod-resources.ts';

type Kind = keyof Counts;

/** For an update, only resources that grow beyond `has` are refused. */
export function beyondCounts(spec: AppSpec, max: Maximum, { has, left }: Present = {}): Finding[] {
  const wanted = amountOf(spec, left);
  const grown = has === undefined ? wanted : growth(has, wanted);
  const isBeyond = (kind: Kind) => grown[kind] > 0 && wanted[kind] > max[kind];
  return (['containers', 'volumes', 'gpus'] as const)
    .filter(isBeyond)
    .map((kind) => finding(spec, kind, wanted[kind], max));
}

function finding(spec: AppSpec, kind: Kind, wanted: number, max: Maximum): Finding {
  const counts = spec.pods.map((pod) => amountOf({ pods: [pod] })[kind]);
  const index = counts.indexOf(Math.max(...counts));
  const pod = spec.pods[index]!;
  const room = max[kind] - (wanted - counts[index]!);
  const own = amountOf(spec)[kind];
  const found = { pod: index, code: 'beyond-limit' as const };
  if (own <= max[kind]) {
    const message = `the application has ${countOf(own, kind)}, its earlier revisions have left ${wanted - own}, and ${possible(kind, max)}`;
    return { ...found, field: ['volumes'], message, hint: keepNames };
  }
  const message = `the application has ${countOf(own, kind)}, and ${possible(kind, max)}`;
  return { ...found, message, ...adviceFor[kind](pod, room, max[kind]) };
}

/** Volumes that an update no longer uses exist until the deployment ends. */
const keepNames = 'use the same names as before, or remove the application and start it again';

function possible(kind: Kind, max: Maximum): string {
  const owner = kind === 'gpus' ? max.gpusOf : max.countsOf;
  if (owner === 'server') return `this server gives ${countOf(max[kind], kind)} to applications`;
  return `${ownerPhrase(owner)} ${countOf(max[kind], kind)} ${max[kind] === 1 ? 'is' : 'are'} possible at most`;
}

/** `room`: the maximum of the pod if the others do not change. */
const adviceFor: Record<Kind, (pod: PodSpec, room: number, max: number) => Pick<Finding, 'field' | 'hint'>> = {
  containers: (_, room) => ({
    field: ['replicas'],
    hint: room >= 1 ? `write at most ${room}` : 'use fewer replicas or pods',
  }),
  volumes: (pod, room) => {
    const copies = copiesOf(pod);
    const each = Math.floor(room / copies);
    // With many replicas, the number of replicas is the problem.
    const isByReplicas = copies > pod.volumes.length;
    const replicas = Math.floor(room / pod.volumes.length);
    if (isByReplicas && replicas >= 1) return { field: ['replicas'], hint: `write at most ${replicas}` };
    return { field: ['volumes'], hint: each >= 1 ? `write at most ${each} of them` : 'use fewer in several pods' };
  },
  gpus: (pod, room, max) => ({
    field: ['useGPU'],
    hint:
      room >= 1 && replicasOf(pod) > room
        ? `write at most ${room} replicas`
        : `leave out useGPU (Compose: its gpus or devices)${max > 0 ? ' in several pods' : '; the pod then runs without one'}`,
  }),
};
