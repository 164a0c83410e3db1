/** What every engine has to do, in six parts. The titles of the tests are the specification. */
import { after, afterEach, before, describe } from 'node:test';
import type { Engine } from '../../src/engine/engine.ts';
import { contentContract } from './content.ts';
import { lifecycleContract } from './lifecycle.ts';
import { logsContract } from './logs.ts';
import { pullContract } from './pulls.ts';
import { readinessContract } from './readiness.ts';
import { createScene, type Scene } from './scene.ts';
import { volumesContract } from './volumes.ts';

export type Contractor = {
  /** Two installations on the same machine. */
  engine: Engine;
  neighbour: Engine;
  /** A reference of the image with the contract's program, present on the machine. */
  image: string;
  /** One that is not on the machine, whose pull does not end before it is let go; another one at each call. */
  heldImage(): Promise<{ image: string; letGo: () => void }>;
  /** Whether the address of a workload can be reached from here. */
  hasRealAddresses: boolean;
  /** Whether volumes take no more than their size. */
  limitsVolumes: boolean;
  /** Whether `/tmp` is memory of the workload, where the image has nothing in it, and not disk. */
  isTmpInMemory: boolean;
  /** Removes what is left, after failed tests too. */
  dispose(): Promise<void>;
};

/** What the tests play on: the engine under test, and a new deployment for each of them. */
export type Stage = { contractor: () => Contractor; newScene: () => Scene };

/** Holds an engine to the contract. `makeEngine` is called once; what a test makes is removed after it. */
export function engineContract(name: string, makeEngine: () => Promise<Contractor>): void {
  describe(`engine contract: ${name}`, () => {
    const stage = setStage(makeEngine);
    lifecycleContract(stage);
    contentContract(stage);
    logsContract(stage);
    readinessContract(stage);
    volumesContract(stage);
    pullContract(stage);
  });
}

/** Within a `describe`. */
export function setStage(makeEngine: () => Promise<Contractor>): Stage {
  let made: Contractor | undefined;
  const scenes: Scene[] = [];
  const contractor = () => made!;

  before(async () => {
    made = await makeEngine();
  });
  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.removeAll();
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
