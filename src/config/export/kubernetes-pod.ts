/** PURE. A PodSpec as the pod template of a Kubernetes workload. */
import {
  type AppSpec,
  type CheckTimes,
  type HealthCheck,
  hasTest,
  type PodSpec,
  type Resources,
} from '../spec/spec.ts';
import { filled, volumeName, written } from './compose-file.ts';
import { type Texts, write, writeValue } from './kubernetes-texts.ts';

export type File = PodSpec['files'][number] & { key: string };
export type Parts = { texts: Texts; hidden: File[]; open: File[]; secretVars: ReadonlySet<string> };

/** Written although it is the default: server-side apply before Kubernetes 1.24 refuses a list of ports without it. */
export const protocol = 'TCP';

/** The pod of a workload: its container, volumes and security context. */
export function podTemplate(pod: PodSpec, spec: AppSpec, { texts, hidden, open, secretVars }: Parts) {
  const { container = {} } = pod;
  const memory = (container.tmpfs ?? []).map(({ mountPath, sizeBytes }, at) => ({
    mount: { name: `memory-${at + 1}`, mountPath },
    volume: { name: `memory-${at + 1}`, emptyDir: written({ medium: 'Memory', sizeLimit: bytes(sizeBytes) }) },
  }));
  const fileMount =
    (volume: string) =>
    ({ path, key }: File) => ({ name: volume, mountPath: path, subPath: key });
  const mounts = [
    ...pod.volumes.map(({ name, mountPath }) => ({ name: `volume-${name}`, mountPath })),
    ...open.map(fileMount('files')),
    ...hidden.map(fileMount('secrets')),
    ...memory.map(({ mount }) => mount),
  ];
  const volumes = [
    ...pod.volumes.map((volume) => ({
      name: `volume-${volume.name}`,
      persistentVolumeClaim: { claimName: volumeName(pod, volume) },
    })),
    ...(open.length > 0 ? [{ name: 'files', configMap: { name: `${pod.name}-files`, ...items(open) } }] : []),
    ...(hidden.length > 0
      ? [{ name: 'secrets', secret: { secretName: `${pod.name}-secrets`, ...items(hidden) } }]
      : []),
    ...memory.map(({ volume }) => volume),
  ];
  const env = Object.entries(pod.vars).map(([name, value]) =>
    secretVars.has(name)
      ? { name, valueFrom: { secretKeyRef: { name: `${pod.name}-secrets`, key: name } } }
      : { name, value: writeValue(value, texts) },
  );
  return written({
    // Otherwise every container gets variables with the addresses of all Services.
    enableServiceLinks: false,
    automountServiceAccountToken: false,
    restartPolicy: pod.resourceType === 'job' ? 'OnFailure' : undefined,
    terminationGracePeriodSeconds: container.stopGraceSeconds,
    securityContext: filled(securityContext(pod)),
    imagePullSecrets: spec.registryLogin ? [{ name: 'registry-login' }] : undefined,
    containers: [
      written({
        name: pod.name,
        image: write(pod.image, texts),
        command: pod.entrypoint?.map((word) => writeValue(word, texts)),
        args: pod.command?.map((word) => writeValue(word, texts)),
        workingDir: pod.workingDir,
        env: filled(env),
        ports: filled(pod.servicePorts.map((containerPort) => ({ containerPort, protocol }))),
        resources: filled(resources(pod)),
        readinessProbe: pod.healthCheck && probe(pod.healthCheck, texts),
        securityContext: container.readOnly ? { readOnlyRootFilesystem: true } : undefined,
        volumeMounts: filled(mounts),
      }),
    ],
    volumes: filled(volumes),
  });
}

/** Only the image defines the names of users. */
function securityContext({ user, container }: PodSpec) {
  const [uid, gid] = (user ?? '').split(':');
  const number = (text: string | undefined) => (/^\d+$/.test(text ?? '') ? Number(text) : undefined);
  const groups = container?.groups?.map(number).filter((group) => group !== undefined) ?? [];
  const sysctls = Object.entries(container?.sysctls ?? {}).map(([name, value]) => ({ name, value }));
  return written({
    runAsUser: number(uid),
    runAsGroup: number(gid),
    supplementalGroups: filled(groups),
    sysctls: filled(sysctls),
  });
}

function probe(check: HealthCheck, texts: Texts) {
  if (!hasTest(check)) return undefined;
  const { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold }: CheckTimes = check;
  const times = { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold };
  const action =
    'command' in check
      ? { exec: { command: check.command.map((word) => write(word, texts)) } }
      : { httpGet: { path: check.path, port: check.port } };
  return { ...action, ...times };
}

function resources({ resources: { requests, limits }, useGPU }: PodSpec) {
  const gpu = useGPU ? { 'nvidia.com/gpu': 1 } : {};
  return written({ requests: filled(amounts(requests)), limits: filled({ ...amounts(limits), ...gpu }) });
}

function amounts({ cpuMillis, memoryBytes }: Resources) {
  return written({ cpu: cpuMillis === undefined ? undefined : `${cpuMillis}m`, memory: bytes(memoryBytes) });
}

/** A quantity is a text, which a number is not for server-side apply. */
export function bytes(count: number | undefined): string | undefined {
  return count === undefined ? undefined : String(count);
}

/** The keys to mount, with their modes. Empty if no file has a mode: then all keys are mounted. */
function items(files: readonly File[]) {
  if (files.every(({ mode }) => mode === undefined)) return {};
  const item = ({ key, mode }: File) => ({
    key,
    path: key,
    ...(mode !== undefined && { mode: Number.parseInt(mode, 8) }),
  });
  return { items: files.map(item) };
}
