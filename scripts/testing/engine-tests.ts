/**
 * PURE. Scenarios that do not apply to a cluster, with the reason. `TEST_ENGINE=kubernetes` leaves them out. In other
 * files, single tests do that (`test/scenarios/engine-of-tests.ts`).
 */

const folder = 'test/scenarios/';

/** The subject of each of these files. */
const ofDocker: Readonly<Record<string, string>> = {
  'bad-engine.nightly':
    "answers of Docker's API that are late, cut off or wrong; of a cluster: test/kubernetes/cut-off.test.ts",
  'disk-full.nightly': "the disk of a Docker engine of the test's own",
  'drill.nightly': 'snapshots of volumes of this machine, and databases in containers of Docker',
  dumps: "databases' own tools in containers of Docker; of a cluster: test/kubernetes/snapshots.test.ts",
  'killed-loads.nightly':
    "databases' own tools in containers of Docker; of a cluster: test/kubernetes/snapshots.test.ts",
  'engine-restart': "a restart of a Docker engine of the test's own; of a cluster: test/kubernetes/disruptions",
  gvisor: 'containers of Docker in gVisor',
  'half-started': 'the engine in memory, and engines that are not there: the same wherever it runs',
  'killed-tests': 'what a killed test leaves on this machine',
  'memory-engine': 'the engine in memory',
  metrics: 'what the kernel of this machine reports about containers; on a cluster, its own metrics report that',
  'private-images': "what is in Docker's own store; of a cluster: test/kubernetes/images.test.ts",
  'pull-stalls.nightly': "pulls of a Docker engine of the test's own",
  snapshots: 'snapshots of volumes of this machine; of a cluster: test/kubernetes/snapshots.test.ts',
  'take-over': 'two processes with the engine of Docker in them; of a cluster: killed-planes',
  upgrade: 'containers of Docker that an upgrade leaves as they are, and a later release',
  volumes: 'limits of volumes that Berth keeps on this machine; on a cluster the storage class does',
};

/** A file that is not run, and why. */
export type LeftOut = { file: string; reason: string };

export function engineTests(
  files: readonly string[],
  { TEST_ENGINE: engine }: NodeJS.ProcessEnv,
): { files: string[]; leftOut: LeftOut[] } {
  if (engine !== 'kubernetes') return { files: [...files], leftOut: [] };
  const reasonOf = (file: string) =>
    file.startsWith(folder) ? ofDocker[file.slice(folder.length).replace(/\.test\.ts$/, '')] : undefined;
  return {
    files: files.filter((file) => reasonOf(file) === undefined),
    leftOut: files.flatMap((file) => {
      const reason = reasonOf(file);
      return reason === undefined ? [] : [{ file, reason }];
    }),
  };
}

/** The files of the list. */
export const filesOfDocker = Object.keys(ofDocker).map((name) => `${folder}${name}.test.ts`);
