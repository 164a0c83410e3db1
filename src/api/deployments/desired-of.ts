/** The desired state of a deployment's revision, with everything that its pods receive. */
import type { Deployment, Revision } from '../../deployment/deployment.ts';
import { type Desired, desiredAt } from '../../deployment/desired.ts';
import { noEgress } from '../../deployment/workload/egress.ts';
import { derivationOf } from '../../store/seeds.ts';
import type { Service } from '../api-service.ts';

/** As if the deployment were not stopped. The egress depends on the plan and is left out. */
export async function desiredOf(
  { db, seal, urlOf, now }: Pick<Service, 'db' | 'seal' | 'urlOf' | 'now'>,
  deployment: Deployment,
  revision: Revision,
): Promise<Desired> {
  const derive = await derivationOf(db, seal, deployment.id);
  const resolution = { now: now(), url: urlOf(deployment.label), derive, egress: noEgress };
  return desiredAt({ ...deployment, stoppedAt: null }, revision, resolution);
}
