/** The stage of the network tests: a world, and in it a Berth with the rules and one without. */
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { hasReached, type Outcome } from './agent.ts';
import { type Attacker, deployAttacker } from './attacker.ts';
import { type Case, type Known, reachable, unreachable } from './network-attempts.ts';
import { createNetworkWorld, hostPorts, type NetworkWorld } from './network-world.ts';

export type Side = { berth: Berth; attacker: Attacker; known: Known; outcomes: Map<Case, Outcome> };

export type NetworkStage = {
  world: NetworkWorld;
  fenced: Side;
  /** Its engine counts as one of another machine, and so it has no rules. */
  control: Side;
  /** Another deployment of the first, for both to reach out for. */
  victim: Attacker;
  close(): Promise<void>;
};

export async function setNetworkStage(): Promise<NetworkStage> {
  const world = await createNetworkWorld(['node:26-slim']);
  const berths: Berth[] = [];
  const close = async () => {
    for (const berth of berths) await berth.destroy();
    await world.close();
  };
  try {
    const { engine } = world;
    const stranger = await startStranger(world);
    const elsewhere = { DOCKER_HOST: `tcp://127.0.0.1:${hostPorts.engine}`, BERTH_ALLOW_UNSAFE: '1' };
    for (const env of [{}, elsewhere]) berths.push(await createBerth(env, { engine }));
    await Promise.all(berths.map((berth) => berth.serve()));
    const [victim, ...attackers] = await Promise.all([
      deployAttacker(berths[0]!, 'victim'),
      ...berths.map((berth) => deployAttacker(berth, 'attacker')),
    ]);
    const sides: Side[] = [];
    for (const [index, attacker] of attackers.entries()) {
      const known = await knownTo(world, attacker, victim, stranger, berths[index]!.settings.port);
      sides.push({ berth: berths[index]!, attacker, known, outcomes: new Map() });
    }
    const [fenced, control] = sides as [Side, Side];
    await world.join(sides.map(({ known }) => known.gateway));
    await Promise.all([tryAll(fenced, false), tryAll(control, true)]);
    return { world, fenced, control, victim, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The cases that a side reaches now, by name. Those in `wanted` get two minutes, since an answer may be late. */
export async function reached(side: Side, cases: Case[], wanted: Case[] = []): Promise<string[]> {
  const outcomes = await outcomesOf(side, cases, wanted);
  return cases.filter((each) => hasReached(outcomes.get(each)!)).map(({ name }) => name);
}

/** Tried at once; what is `wanted` and does not answer within its time is tried again, and what is not is not. */
async function outcomesOf({ attacker, known }: Side, cases: Case[], wanted: Case[]): Promise<Map<Case, Outcome>> {
  const outcomes = new Map<Case, Outcome>();
  const deadline = performance.now() + 120_000;
  let open = cases;
  while (open.length > 0) {
    const answers = await attacker.attempt(open.map(({ attempt }) => attempt(known)));
    for (const [index, each] of open.entries()) outcomes.set(each, answers[index]!);
    if (performance.now() > deadline) break;
    open = wanted.filter((each) => !hasReached(outcomes.get(each)!));
  }
  return outcomes;
}

/** `isOpen`: without rules, all is reached that is not closed anyway. */
async function tryAll(side: Side, isOpen: boolean): Promise<void> {
  const wanted = [...reachable, ...(isOpen ? unreachable.filter(({ isClosedAnyway }) => !isClosedAnyway) : [])];
  side.outcomes = await outcomesOf(side, [...reachable, ...unreachable], wanted);
}

async function knownTo(
  world: NetworkWorld,
  attacker: Attacker,
  victim: Attacker,
  strangerContainer: string,
  edgePort: number,
): Promise<Known> {
  const [own, other] = [await networkOf(world, attacker), await networkOf(world, victim)];
  return {
    gateway: own.gateway,
    ownPeer: own.peer,
    otherGateway: other.gateway,
    otherPod: other.peer,
    otherContainer: `berth-${victim.deploymentId}-peer-1-0`,
    engineGateway: strangerContainer.replace(/\d+$/, '1'),
    strangerContainer,
    edgePort,
  };
}

/** The machine's address in a deployment's network, and that of the agent's neighbor pod. */
async function networkOf({ engine }: NetworkWorld, { deploymentId }: Attacker) {
  const { NetworkSettings } = await engine.docker.getContainer(`berth-${deploymentId}-peer-1-0`).inspect();
  const { Gateway, IPAddress } = NetworkSettings.Networks[`berth-${deploymentId}`]!;
  return { gateway: Gateway, peer: IPAddress };
}

/** Starts a container without a deployment, with a published port; returns its address. */
async function startStranger({ engine }: NetworkWorld): Promise<string> {
  const port = String(hostPorts.published);
  const program = `require('net').createServer((s) => s.end('stranger')).listen(${port})`;
  const container = await engine.docker.createContainer({
    Image: 'node:26-slim',
    Cmd: ['node', '-e', program],
    ExposedPorts: { [`${port}/tcp`]: {} },
    HostConfig: { Init: true, PortBindings: { [`${port}/tcp`]: [{ HostIp: '0.0.0.0', HostPort: port }] } },
  });
  await container.start();
  return (await container.inspect()).NetworkSettings.Networks.bridge!.IPAddress;
}
