/** The contract of every engine, and the additions of each facet. The titles of the tests are the specification. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Tampering, WorkloadName } from '../../src/deployment/workload/workload.ts';
import type { Engine, FacetName } from '../../src/engine/engine.ts';
import { addressesContract } from './addresses.ts';
import { archivesContract } from './archives.ts';
import { contentContract } from './content.ts';
import { copiesContract } from './copies.ts';
import { diskContract } from './disk.ts';
import { execContract } from './exec.ts';
import { freezerContract } from './freezer.ts';
import { imagesContract, noImagesContract } from './images.ts';
import { isolationContract, noIsolationContract } from './isolation.ts';
import { lifecycleContract } from './lifecycle.ts';
import { logsContract } from './logs.ts';
import { podAddressesContract } from './pod-addresses.ts';
import { quarantineContract } from './quarantine.ts';
import { readinessContract } from './readiness.ts';
import { createScene, type Scene } from './scene.ts';
import { tamperingContract } from './tampering.ts';
import { usageContract } from './usage.ts';
import { volumesContract } from './volumes.ts';

export type Contractor = {
  /** Two installations on the same machine. */
  engine: Engine;
  neighbour: Engine;
  /** A reference of the image with the contract's program, present on the machine. */
  image: string;
  /** One that is not on the machine, whose pull does not end before it is let go; another one at each call. */
  heldImage(): Promise<{ image: string; letGo: () => void }>;
  /** Changes a workload as another client of the engine would; absent if the engine reverts such changes itself. */
  tamper?: (name: WorkloadName, tampering: Tampering) => Promise<void>;
  /** Whether the address of a workload can be reached from here. */
  hasRealAddresses: boolean;
  /** Whether volumes take no more than their size. */
  limitsVolumes: boolean;
  /** Whether `/tmp` is memory of the workload, where the image has nothing in it, and not disk. */
  isTmpInMemory: boolean;
  /** Whether the lines of all starts of a workload are kept, and not those of the last two alone. */
  keepsEveryStart: boolean;
  /** Removes what is left, after failed tests too. */
  dispose(): Promise<void>;
};

/** The stage of the tests: the engine under test, and a new deployment for each of them. */
export type Stage<Made extends Contractor = Contractor> = { contractor: () => Made; newScene: () => Scene };

/** Tests of builds cover the others: `test/kubernetes/builds.test.ts`, `test/scenarios/gvisor-builds.nightly.test.ts`. */
type ContractFacet = Exclude<FacetName, 'bases' | 'builderExec'>;

const facetContracts = {
  images: [imagesContract, noImagesContract],
  disk: [diskContract, undefined],
  freezer: [freezerContract, undefined],
  isolation: [isolationContract, noIsolationContract],
  addresses: [addressesContract, undefined],
  podAddresses: [podAddressesContract, undefined],
  usage: [usageContract, undefined],
  copies: [copiesContract, undefined],
  archives: [archivesContract, undefined],
  exec: [execContract, undefined],
} satisfies Record<ContractFacet, [has: (stage: Stage) => void, lacks: ((stage: Stage) => void) | undefined]>;

export const allFacets = new Set(Object.keys(facetContracts) as ContractFacet[]);

/**
 * Holds an engine to the contract, with the facets that it has. `makeEngine` is called once; what a test makes is
 * removed after it.
 */
export function engineContract(
  name: string,
  makeEngine: () => Promise<Contractor>,
  facets: ReadonlySet<FacetName> = allFacets,
): void {
  describe(`engine contract: ${name}`, () => {
    const stage = setStage(makeEngine);
    lifecycleContract(stage);
    contentContract(stage);
    logsContract(stage);
    readinessContract(stage);
    volumesContract(stage);
    tamperingContract(stage);
    quarantineContract(stage);
    for (const facet of allFacets) {
      const [has, lacks] = facetContracts[facet];
      const contract = facets.has(facet) ? has : lacks;
      if (contract) describe(`${facets.has(facet) ? 'with' : 'without'} the facet ${facet}`, () => contract(stage));
    }
    test('it has the facets that it is held to, and no other', () => {
      const { engine } = stage.contractor();
      assert.deepEqual(
        [...allFacets].filter((facet) => facet in engine),
        [...allFacets].filter((facet) => facets.has(facet)),
      );
    });
  });
}

/** Within a `describe`. */
export function setStage<Made extends Contractor>(makeEngine: () => Promise<Made>): Stage<Made> {
  let made: Made | undefined;
  const scenes: Scene[] = [];
  const contractor = () => made!;

  before(async () => {
    made = await makeEngine();
  });
  afterEach(async () => {
    // All of them, also when one fails: what it leaves would take the room of the next test.
    const removals = await Promise.allSettled(scenes.splice(0).map((scene) => scene.removeAll()));
    for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
  });
  after(() => made?.dispose());

  return {
    contractor,
    newScene() {
      const scene = createScene(contractor().engine, contractor().image);
      scenes.push(scene);
      return scene;
    },
  };
}
