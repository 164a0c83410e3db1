/** PURE. Limits of the number of containers, volumes and GPUs of any size. */

/** Containers are the replicas of all pods. Volumes are those that would be created. */
export type Counts = { containers: number; volumes: number; gpus: number };

export const countedKinds = ['containers', 'volumes', 'gpus'] as const satisfies readonly (keyof Counts)[];

/** Totals of an account, or of the unclaimed deployments of one client address. */
export type Caps = Counts & {
  /** Limits of one deployment. */
  containersPerDeployment: number;
  volumesPerDeployment: number;
};

/** Also limits an unclaimed session. */
export type StrangerCaps = Caps & { containersPerSession: number; volumesPerSession: number };

/** The network of a deployment has 126 addresses, and an update needs two for each container. */
export const maxContainersPerDeployment = 60;

const usualVolumesPerDeployment = 64;

/** The defaults: a number for each allowed deployment, and at least one deployment of the maximum size. */
const usualPerDeployment = { containers: 20, volumes: 10 };

/** GPUs need an explicit limit, because the engine runs a privileged hook for them. */
export function capsOf({ deployments, caps = {} }: { deployments: number; caps?: Partial<Caps> }): Caps {
  const containersPerDeployment = caps.containersPerDeployment ?? maxContainersPerDeployment;
  const volumesPerDeployment = caps.volumesPerDeployment ?? usualVolumesPerDeployment;
  return {
    containersPerDeployment,
    volumesPerDeployment,
    containers: caps.containers ?? Math.max(containersPerDeployment, deployments * usualPerDeployment.containers),
    volumes: caps.volumes ?? Math.max(volumesPerDeployment, deployments * usualPerDeployment.volumes),
    gpus: caps.gpus ?? 0,
  };
}

/** Returns the limits of an address and of one of its sessions. */
export function strangerCapsOf(limits: {
  perSession: number;
  perAddress: number;
  caps?: Partial<StrangerCaps>;
}): StrangerCaps {
  const { perSession, perAddress, caps = {} } = limits;
  const inSession = capsOf({ deployments: perSession, caps: { ...caps, ...sessionCaps(caps) } });
  return {
    ...capsOf({ deployments: perAddress, caps }),
    containersPerSession: inSession.containers,
    volumesPerSession: inSession.volumes,
  };
}

function sessionCaps({ containersPerSession, volumesPerSession }: Partial<StrangerCaps>): Partial<Caps> {
  return {
    ...(containersPerSession !== undefined && { containers: containersPerSession }),
    ...(volumesPerSession !== undefined && { volumes: volumesPerSession }),
  };
}
