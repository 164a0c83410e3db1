/** Limits the commands that run in pods at once. Each one uses resources of the service. */
import type { Problem } from '../../lib/problem.ts';

const maxOfDeployment = 5;
/** The maximum of an account, or of a client address without an account. */
const maxOfCaller = 10;
const maxAtOnce = 50;
/** Places reserved for callers without a running command. */
const placesForFirst = 15;

export type ExecSlots = {
  /** Takes a place and returns the function that releases it. If all are taken, returns the problem. */
  take(deploymentId: string, caller: string): (() => void) | Problem;
};

export function createExecSlots(): ExecSlots {
  const underWay = new Set<{ deploymentId: string; caller: string }>();
  return {
    take(deploymentId, caller) {
      const others = [...underWay];
      const ofDeployment = others.filter((other) => other.deploymentId === deploymentId).length;
      const ofCaller = others.filter((other) => other.caller === caller).length;
      if (ofDeployment >= maxOfDeployment)
        return isFull(`This application is already running the maximum of ${maxOfDeployment} commands.`);
      if (ofCaller >= maxOfCaller) return isFull(`You are already running the maximum of ${maxOfCaller} commands.`);
      if (others.length >= (ofCaller === 0 ? maxAtOnce : maxAtOnce - placesForFirst))
        return isFull('The service is running its maximum number of commands.');
      const place = { deploymentId, caller };
      underWay.add(place);
      return () => void underWay.delete(place);
    },
  };
}

function isFull(error: string): Problem {
  return {
    code: 'rate_limited',
    error,
    hint: 'Try again when a command has ended. Closing a terminal ends its command.',
    retryAfterSeconds: 10,
  };
}
