/**
 * PURE. Scenarios that say nothing about a cluster, and why: with `TEST_ENGINE=kubernetes` they are left out. Single tests
 * of other files say it themselves (`test/scenarios/engine-of-tests.ts`).
 */

const folder = 'test/scenarios/';

/** What each of these files is about. */
const ofDocker: Readonly<Record<string, string>> = {
  'bad-engine':
    "answers of Docker's API that are late, cut off or wrong; of a cluster: test/kubernetes/cut-off.test.ts",
  'behind-our-back': 'containers, volumes and networks that somebody takes away by Docker',
  'disk-full': "the disk of a Docker engine of the test's own",
  drill: 'snapshots of volumes of this machine, and databases in containers of Docker',
  dumps: "databases' own tools, which Berth runs in containers of Docker",
  'engine-restart': "a restart of a Docker engine of the test's own; of a cluster: test/kubernetes/disruptions",
  gvisor: 'containers of Docker in gVisor',
  'half-started': 'the steps of a start beside Docker: its firewall, its networks',
  'image-limits': "what Docker keeps of images; of a cluster, the gate's own tests",
  'killed-rolling': 'it counts operations and containers on Docker; of a cluster: test/kubernetes/disruptions',
  'killed-tests': 'what a killed test leaves on this machine',
  'killed-volumes': 'file systems that Berth makes for volumes on this machine',
  'known-escapes': 'versions of the runtime below Docker',
  'memory-engine': 'the engine in memory',
  metrics: "what the kernel of this machine tells of containers; a cluster's own metrics tell it there",
  'private-images': "what is in Docker's own store; of a cluster: test/kubernetes/images.test.ts",
  'pull-stalls': "pulls of a Docker engine of the test's own",
  'pushed-images': '`docker push`, and what Docker keeps of it',
  snapshots: 'snapshots of volumes of this machine',
  'take-over': 'two processes and what they have opened on Docker',
  upgrade: 'containers of Docker that an upgrade leaves as they are, and releases of before',
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

/** All that the list names. */
export const filesOfDocker = Object.keys(ofDocker).map((name) => `${folder}${name}.test.ts`);
