/** The data of a deployment: snapshots, restores and exports. */
import type { Target } from '../service/calls.ts';
import type { Deployment, Outline } from '../service/records.ts';
import { ExportPanel } from './export.tsx';
import { SnapshotsPanel } from './snapshots.tsx';
import './snapshots.css';

type DataTabProps = {
  target: Target;
  deployment: Pick<Deployment, 'claim' | 'reservation'>;
  /** Undefined until they are loaded. */
  pods: Outline['pods'] | undefined;
};

export default function DataTab({ target, deployment: { claim, reservation }, pods }: DataTabProps) {
  const isKept = claim.claimed || reservation.held;
  const hasVolumes = pods?.some(({ volumes }) => volumes.length > 0) ?? true;
  return (
    <div className="stack">
      <SnapshotsPanel target={target} isKept={isKept} hasVolumes={hasVolumes} />
      <ExportPanel target={target} hasVolumes={hasVolumes} />
    </div>
  );
}
