/**
 * The firewall keeps our table of rules in the kernel in its desired state. It is level-triggered: after any change or
 * flush, the table is complete again within seconds. Change notifications of the kernel only save checks.
 */
import { type Egress, printEgress } from '../../../deployment/workload/egress.ts';
import type { PodTargets } from '../../../deployment/workload/pod-addresses.ts';
import { createSemaphore } from '../../../lib/concurrency.ts';
import { latestOnly } from '../../../lib/latest-only.ts';
import { reportingFirstFault, runRounds } from '../../../lib/rounds.ts';
import { ProgramError } from '../../../lib/run-program.ts';
import { isComplete, type Listing, readListing } from './listing.ts';
import { apply, asRoot, list, run, watchTable } from './nft.ts';
import { adoptPolicies, createUnknownBridges, makingMs } from './other-processes.ts';
import { retargetText } from './pod-translation.ts';
import {
  type Admission,
  admissionText,
  type Bridges,
  dismissalText,
  type EdgePlace,
  edgeSeconds,
  edgeText,
  policyChain,
  type RuleSettings,
  tableName,
  tableText,
} from './rules.ts';

const turnEveryMs = 2_000;
/** A check runs a program, 8 ms. Without a change notification, this period is enough. */
const lookEveryMs = 30_000;
/** Renewing the edge entry a day before it expires is early enough, and rare enough. */
const renewedSeconds = edgeSeconds - 24 * 60 * 60;

export type Firewall = {
  /**
   * Allows the bridge's containers to reach the addresses of `egress`. Before that, they reach their own network only.
   */
  admit(bridge: string, egress: Egress): Promise<void>;
  /** The bridge is gone. */
  dismiss(bridge: string): Promise<void>;
  egressOf(bridge: string): Egress | undefined;
  /** Replaces the targets of the bridge's pod addresses, for new connections. */
  retarget(bridge: string, targets: PodTargets): Promise<void>;
  targetsOf(bridge: string): PodTargets;
  /** The container with this address is gone. */
  forget(address: string): Promise<void>;
  /** While it is paused, another process maintains the rules. */
  pause(isResting: boolean): void;
  /** Stops looking after the rules; they stay. */
  close(): Promise<void>;
};

export type FirewallOptions = Pick<RuleSettings, 'owner' | 'answersAll' | 'buildProxy'> & {
  /** This service's own ports, under one name. */
  edges?: readonly EdgePlace[];
  readResolvers: () => Promise<string[]>;
  /** Returns the networks that all processes of this installation have created on the engine. */
  readBridges: () => Promise<ReadonlyMap<string, Egress>>;
  /** Stores the rules as text, to be loaded at the next boot before the containers start. */
  saveRules: (rules: string) => Promise<void>;
  log: FirewallLog;
  /** Called when the state of the rules is known: in force, or not possible. */
  report: (areInForce: boolean) => void;
};

export type FirewallLog = {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Resolves when the rules are in force for the bridges that are there. Throws ProgramError when they cannot be. */
export async function startFirewall(options: FirewallOptions): Promise<Firewall> {
  const { owner, edges: ownEdges = [], readResolvers, readBridges, saveRules, log, report } = options;
  const bridges = new Map<string, Admission>();
  await learnBridges();
  /** When this process admitted each bridge, which may be about to be created. */
  const admittedAt = new Map<string, number>();
  const strangers = createUnknownBridges();
  /** The last known edges of the other processes. */
  let otherEdges: EdgePlace[] = [];
  /** The elements last seen or written. The kernel's table is the source for every process of this machine. */
  let targets: ReadonlyMap<string, PodTargets> = new Map();
  /** The resolvers of the loaded table. */
  let resolvers: string[] = [];
  let shape = '';
  await using opening = new AsyncDisposableStack();
  const watch = opening.use(watchTable(tableName(owner)));
  /** When the table was last correct. Minus infinity if it is not known to be. */
  let wholeAt = Number.NEGATIVE_INFINITY;
  // Two concurrent loads would each record the result of the other.
  const inTurn = createSemaphore(1);

  function rules(resolvers: string[], awaited: Bridges = new Map()): string {
    // A fixed order, because processes that maintain the same table would otherwise undo each other's changes.
    const sorted = new Map([...bridges, ...awaited].sort(([a], [b]) => (a < b ? -1 : 1)));
    return tableText({ ...options, resolvers, edges: [...ownEdges, ...otherEdges] }, sorted, targets);
  }

  /** Callers need not wait, because the file is for the next boot. */
  const saveLatest = latestOnly(saveRules);
  async function remember(): Promise<void> {
    await saveLatest(rules(resolvers)).catch((error: unknown) => {
      log.error({ err: error }, 'firewall rules cannot be kept for the next boot');
    });
  }

  async function load(): Promise<void> {
    await write(await look());
  }

  async function write(found: Listing | undefined): Promise<void> {
    const present = await readResolvers();
    const awaited = strangers.awaited(bridges, found);
    await apply(rules(present, awaited));
    // Set after the load. Otherwise, resolvers that were not loaded would count as loaded at the next check.
    resolvers = present;
    shape = (await look())?.shape ?? '';
    void remember();
  }

  /** If others changed the rules, only loading the whole table is safe. */
  async function change(text: string): Promise<void> {
    await apply(text).catch(load);
    void remember();
  }

  /** If the kernel's entries differ from those last seen, writes the whole table, including other bridges. */
  async function lead(bridge: string, wanted: PodTargets): Promise<void> {
    const text = retargetText(tableName(owner), bridge, targets.get(bridge) ?? {}, wanted);
    if (text === '') return;
    const others = () => [...targets].filter(([each]) => each !== bridge);
    const own: [string, PodTargets][] = Object.keys(wanted).length > 0 ? [[bridge, wanted]] : [];
    await apply(text).catch(async () => {
      const found = await look();
      targets = new Map([...others(), ...own]);
      await write(found);
    });
    targets = new Map([...others(), ...own]);
    void remember();
  }

  async function look(): Promise<Listing | undefined> {
    const json = await list(tableName(owner));
    const found = json === undefined ? undefined : readListing(json);
    otherEdges = found?.edges.filter(({ of }) => of !== ownEdges[0]?.of) ?? [];
    // A table that another program removed is restored with its elements.
    if (found) targets = found.targets;
    return found;
  }

  async function restore(): Promise<void> {
    const haveMoved = (await readResolvers()).join() !== resolvers.join();
    const mayHaveChanged = watch.mayHaveChanged();
    if (!haveMoved && !mayHaveChanged && performance.now() - wholeAt < lookEveryMs) return;
    wholeAt = Number.NEGATIVE_INFINITY;
    const found = await look();
    if (!haveMoved && found && isComplete(found, shape, bridges)) {
      await renewEdge(found);
      wholeAt = performance.now();
      return;
    }
    const isByOthers = await meetOthers(found);
    const awaited = strangers.awaited(bridges, found);
    if (!haveMoved && found && isComplete(found, shape, new Map([...bridges, ...awaited])))
      return await renewEdge(found);
    await load();
    if (!haveMoved && !isByOthers && awaited.size === 0)
      log.warn({ table: tableName(owner) }, 'firewall rules were changed from outside, and restored');
  }

  /** A table that another process has just loaded may lack it. */
  async function renewEdge({ edges }: Listing): Promise<void> {
    for (const own of ownEdges) {
      const isOwn = ({ of, address, port }: EdgePlace) => of === own.of && address === own.address && port === own.port;
      const { leftSeconds = 0 } = edges.find(isOwn) ?? {};
      if (leftSeconds < renewedSeconds) await change(edgeText(owner, own));
    }
  }

  /** Existing bridges contain their settings. */
  async function learnBridges(): Promise<ReadonlyMap<string, Egress>> {
    const present = await readBridges();
    for (const [bridge, egress] of present) if (!bridges.has(bridge)) bridges.set(bridge, { egress, turn: 0 });
    return present;
  }

  /** Returns whether another process of this installation made, changed or removed networks. */
  async function meetOthers(found: Listing | undefined): Promise<boolean> {
    const print = () =>
      [...bridges].map(([bridge, { egress, turn }]) => `${bridge} ${policyChain(egress)} ${turn}`).join();
    const before = print();
    const present = await learnBridges();
    for (const bridge of bridges.keys()) {
      const isAwaited = performance.now() - (admittedAt.get(bridge) ?? Number.NEGATIVE_INFINITY) < makingMs;
      if (!isAwaited) admittedAt.delete(bridge);
      if (!isAwaited && !present.has(bridge)) bridges.delete(bridge);
    }
    adoptPolicies(bridges, found);
    return print() !== before;
  }

  await inTurn(async () => {
    adoptPolicies(bridges, await look());
    await load();
  });
  await remember();
  report(true);
  let isResting = false;
  opening.use(
    runRounds({
      name: 'firewall',
      everyMs: turnEveryMs,
      longestMs: turnEveryMs,
      isDelayed: true,
      work: () =>
        inTurn(async () => {
          if (isResting) return;
          await restore().catch((error: unknown) => {
            report(false);
            throw error;
          });
          report(true);
        }),
      onFault: (err) => log.error({ err }, 'firewall rules cannot be restored; trying again'),
    }),
  );
  const open = opening.move();

  return {
    admit: (bridge, egress) =>
      inTurn(async () => {
        const found = await look();
        adoptPolicies(bridges, found);
        const before = bridges.get(bridge);
        if (before && printEgress(before.egress) === printEgress(egress)) return;
        const admission = { egress, turn: (before?.turn ?? 0) + 1 };
        bridges.set(bridge, admission);
        admittedAt.set(bridge, performance.now());
        try {
          const isReady = found?.policies.has(policyChain(egress));
          if (isReady) await change(admissionText(owner, bridge, admission, found!.bridges.has(bridge)));
          else await load();
        } catch (error) {
          if (before) bridges.set(bridge, before);
          else bridges.delete(bridge);
          throw error;
        }
      }),

    dismiss: (bridge) =>
      inTurn(async () => {
        admittedAt.delete(bridge);
        // A removal need not wait: the next check finds superfluous rules.
        if (bridges.delete(bridge)) await change(dismissalText(owner, bridge)).catch(() => {});
        await lead(bridge, {}).catch(() => {});
      }),

    retarget: (bridge, wanted) => inTurn(() => lead(bridge, wanted)),
    targetsOf: (bridge) => targets.get(bridge) ?? {},
    forget: forgetting(log),

    egressOf: (bridge) => bridges.get(bridge)?.egress,

    pause(isToRest) {
      isResting = isToRest;
    },

    async close() {
      await open.disposeAsync();
      if (!isResting) await inTurn(remember);
    },
  };
}

/**
 * Deletes the connections to an address whose container was removed. Otherwise, a UDP sender that never pauses
 * would reach that address forever. A TCP client would wait for a response that never comes. Of consecutive faults, the
 * first is logged, for example that `conntrack` is not installed.
 */
function forgetting(log: { warn(fields: object, message: string): void }): (address: string) => Promise<void> {
  const forget = reportingFirstFault(forgetFlows, (err) =>
    log.warn({ err }, 'connections to removed containers cannot be closed; UDP clients may keep sending there'),
  );
  return async (address) => void (await forget(address));
}

async function forgetFlows(address: string): Promise<void> {
  try {
    await run(asRoot(['conntrack', '--delete', '--reply-src', address]));
  } catch (error) {
    if (!(error instanceof ProgramError && /\b0 flow entries/.test(error.message))) throw error;
  }
}
