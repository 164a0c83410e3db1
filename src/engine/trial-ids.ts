/** PURE. Ids for what an engine is tried with as a service starts. No deployment has one, and what is left is removed. */

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
