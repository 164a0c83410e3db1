/** PURE. How many things that cost the host something each may have, whatever their size. */

/** Containers are the replicas of all pods, volumes those that would be made. */
export type Counts = { containers: number; volumes: number; gpus: number };

export const countedKinds = ['containers', 'volumes', 'gpus'] as const satisfies readonly (keyof Counts)[];

/** In all of an account, or of the deployments from one client address that nobody has claimed. */
export type Caps = Counts & {
  /** Of one deployment. */
  containersPerDeployment: number;
  volumesPerDeployment: number;
};

/** Of a session that is nobody's, too. */
export type StrangerCaps = Caps & { containersPerSession: number; volumesPerSession: number };

/** The network of a deployment has 126 addresses, and an update needs two for each container. */
export const maxContainersPerDeployment = 60;

const usualVolumesPerDeployment = 64;

/** Without words on it, so many for each deployment that is allowed; and one as large as any can be had in any case. */
const usualPerDeployment = { containers: 20, volumes: 10 };

/** GPUs are for those alone whom the operator gives some: the engine runs a hook with privileges for them. */
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

/** What an address may have, and a session of those that are started from it. */
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
