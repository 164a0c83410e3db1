/** The limits of the account's plan, and the current usage. */
import { printBytes } from '../../../src/config/values/units.ts';
import type { Account } from '../service/records.ts';

export function Plan({ account: { tier, usage } }: { account: Account }) {
  return (
    <section className="panel padded stack" aria-label="Plan">
      <h2>
        Plan <span className="plan-name">{tier.name}</span>
      </h2>
      <Meter label="Deployments" used={usage.deployments} most={tier.deployments} print={String} />
      <Meter label="Memory" used={usage.memory} most={tier.memory} print={printBytes} />
      <ul className="small soft">
        <li>
          {tier.lifetimeMinutes === null
            ? 'Claimed deployments do not expire.'
            : `Claimed deployments run for ${printMinutes(tier.lifetimeMinutes)}.`}
        </li>
        {tier.lifetimeMinutes !== null && (
          <li>
            {tier.reservations
              ? 'Deployments can be held beyond their time limit.'
              : 'Holding deployments beyond their time limit needs another plan.'}
          </li>
        )}
      </ul>
    </section>
  );
}

type MeterProps = { label: string; used: number; most: number; print: (amount: number) => string };

function Meter({ label, used, most, print }: MeterProps) {
  return (
    <div className="meter">
      <div className="row">
        <span>{label}</span>
        <span className="push numbers small soft">
          {print(used)} of {print(most)}
        </span>
      </div>
      <progress value={used} max={Math.max(most, 1)} aria-label={`${label}: ${print(used)} of ${print(most)}`} />
    </div>
  );
}

function printMinutes(minutes: number): string {
  const days = minutes / (24 * 60);
  if (days >= 1) return `${Math.round(days)} ${days < 1.5 ? 'day' : 'days'}`;
  return minutes >= 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes)} min`;
}
