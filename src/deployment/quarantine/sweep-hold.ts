/** PURE. When the store looks older than the engine, the sweep changes nothing until the operator confirms. */
import type { KnownDeployment, OwnedObject, Quarantined } from './quarantine.ts';

/** One accident does not explain more unknown deployments than this. */
export const maxUnknown = 3;

export type HoldReason =
  /** An object on the engine was created when the store had a higher epoch. */
  | { kind: 'later-epoch'; epoch: number; seen: number }
  /** The engine runs a revision that the store does not have. */
  | { kind: 'later-revision'; deployments: number }
  | { kind: 'many-unknown'; deployments: number };

export type SweepHold = { reasons: HoldReason[] };

/** `acceptedEpoch`: objects of this epoch or an earlier one existed when the operator accepted the last hold. */
export type SweepState = { epoch: number; acceptedEpoch: number; hold: SweepHold | null };

export type HoldView = {
  state: Omit<SweepState, 'hold'>;
  things: ReadonlyMap<string, readonly OwnedObject[]>;
  known: ReadonlyMap<string, KnownDeployment>;
  entries: Iterable<Quarantined>;
};

/** Empty while the store and the engine agree. */
export function holdReasons({ state, things, known, entries }: HoldView): HoldReason[] {
  const listed = [...things.values()].flat();
  const seen = listed.reduce((most, { epoch = 0 }) => Math.max(most, epoch), 0);
  const newer = [...things].filter(([id, its]) => {
    const row = known.get(id);
    return row !== undefined && its.some((thing) => isLater(thing, row, state.acceptedEpoch));
  });
  const unknown = [...entries].filter(({ acceptedAt, decision }) => acceptedAt === null && decision === null);
  return [
    ...(seen > state.epoch ? [{ kind: 'later-epoch', epoch: state.epoch, seen } as const] : []),
    ...(newer.length > 0 ? [{ kind: 'later-revision', deployments: newer.length } as const] : []),
    ...(unknown.length > maxUnknown ? [{ kind: 'many-unknown', deployments: unknown.length } as const] : []),
  ];
}

function isLater({ revision = 0, epoch = 0 }: OwnedObject, known: KnownDeployment, acceptedEpoch: number): boolean {
  return revision > known.revision && epoch > acceptedEpoch;
}

/** Returns the epoch after the operator has accepted a hold. It is later than that of every object on the engine. */
export function epochAfter({ epoch, hold }: SweepState): number {
  const seen = (hold?.reasons ?? []).map((reason) => (reason.kind === 'later-epoch' ? reason.seen : 0));
  return Math.max(epoch, ...seen) + 1;
}

/** A sentence for the operator. */
export function describeHold({ reasons }: SweepHold): string {
  return `${reasons.map(describeReason).join('; ')}. The database may be an older copy.`;
}

function describeReason(reason: HoldReason): string {
  switch (reason.kind) {
    case 'later-epoch':
      return `the engine has objects of epoch ${reason.seen}, and the database is at epoch ${reason.epoch}`;
    case 'later-revision':
      return `${countOf(reason.deployments)} on the engine at a revision that the database does not have`;
    case 'many-unknown':
      return `${countOf(reason.deployments)} on the engine and unknown to the database`;
  }
}

function countOf(deployments: number): string {
  return deployments === 1 ? '1 deployment is' : `${deployments} deployments are`;
}
