/** PURE. Ids of trial deployments, with which a starting service tests the engine. Leftovers of trials are removed. */

const diskPrefix = 'disk-trial-';
const isolationPrefix = 'probe-';

export function diskTrialId(id: string): string {
  return `${diskPrefix}${id}`;
}

export function isolationTrialId(id: string): string {
  return `${isolationPrefix}${id}`;
}

export function isTrialId(deploymentId: string): boolean {
  return deploymentId.startsWith(diskPrefix) || isIsolationTrialId(deploymentId);
}

export function isIsolationTrialId(deploymentId: string): boolean {
  return deploymentId.startsWith(isolationPrefix);
}
