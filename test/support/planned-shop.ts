/** The deployment that the tests of plans are about: a shop with a database, from its first revision on. */
import type { Deployment } from '../../src/deployment/deployment.ts';
import { desiredAt } from '../../src/deployment/desired.ts';
import { address, deploymentOf, pod, resolvedAt, specOf } from './deployments.ts';

export const now = Date.UTC(2026, 0, 1, 12);
export const shop = deploymentOf({ id: 'shop', expiresAt: now + 1000 });
export const database = pod('db', { image: 'postgres:15', servicePorts: [5432], volumes: [volume('data')] });
export const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80], vars: { DB: 'db.pod' } });
export const spec = specOf(database, web);

export function volume(name: string) {
  return { name, sizeBytes: 2 ** 30, mountPath: '/data' };
}

/** The desired state while it runs. */
export function running(deployment: Deployment = shop, of = spec, number = deployment.revision) {
  return desiredAt(deployment, { number, spec: of }, resolvedAt(now));
}

/** The first lines of its first plan. */
export const made = ['create-network, missing', 'create-volume db-data, missing'];

/** Its second revision next to the first, which serves. */
export const second = specOf(database, { ...web, image: 'nginx:2' });
export const updated = { ...shop, revision: 2, servingRevision: 1 };
export const serving = [{ path: '/', address: address('web', 1), port: 80 }];
