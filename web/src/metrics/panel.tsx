/** Current figures: the requests of the site, and the resource usage of each pod. */
import { useState } from 'react';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import {
  printByteRate,
  printCores,
  printCpu,
  printRate,
  printSize,
  printTime,
  printUptime,
} from '../../../src/config/values/measures.ts';
import { Loading } from '../parts/loading.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo } from '../parts/time.ts';
import type { Target } from '../service/calls.ts';
import type { DeploymentMetrics } from '../service/records.ts';
import { Chart } from './chart.tsx';
import { type Range, useMetrics } from './use-metrics.ts';
import { measuredPart, spanText } from './window.ts';
import './metrics.css';

type MetricsProps = { target: Target; isClaimed: boolean; outline: readonly PodOutline[] | undefined };
type PodMetrics = DeploymentMetrics['pods'][number];
type VolumeUse = DeploymentMetrics['volumes'][number];

export default function MetricsPanel({ target, isClaimed, outline = [] }: MetricsProps) {
  const [range, setRange] = useState<Range>('hour');
  const { value, problem } = useMetrics(target, range);
  if (!value)
    return problem ? (
      <p className="notice warn small" role="status">
        {problem.error} Trying again …
      </p>
    ) : (
      <Loading what="what is measured" height="16rem" />
    );
  const { volumes, message } = value;
  const shown = measuredPart(value);
  const places = outline.map(({ name }) => name);
  const pods = shown.pods.toSorted((one, other) => places.indexOf(one.name) - places.indexOf(other.name));
  const shared = volumes.filter(({ name }) => name.startsWith(sharedPrefix));
  return (
    <section className="metrics stack" aria-labelledby="metrics-title">
      <div className="row">
        <h2 id="metrics-title">{spanText(shown)}</h2>
        {isClaimed && (
          <button
            type="button"
            className="button compact push"
            onClick={() => setRange(range === 'hour' ? 'day' : 'hour')}
          >
            {range === 'hour' ? 'Show the last day' : 'Show the last hour'}
          </button>
        )}
      </div>
      {message !== undefined && <p className="notice small">{message}</p>}
      <Site metrics={shown} isPublic={outline.length === 0 || outline.some(({ paths }) => paths.length > 0)} />
      {pods.map((pod) => (
        <Pod
          key={`${pod.name}/${pod.replica}`}
          pod={pod}
          metrics={shown}
          volumes={volumesOf(pod, outline, volumes)}
          hasReplicas={pods.some(({ name, replica }) => name === pod.name && replica > 0)}
        />
      ))}
      {shared.length > 0 && (
        <div className="panel padded">
          <h3>Shared volumes</h3>
          <Volumes volumes={shared} prefix={sharedPrefix} />
        </div>
      )}
    </section>
  );
}

type OfMetrics = { metrics: DeploymentMetrics };

function stepsOf({ from, stepSeconds }: DeploymentMetrics): { from: number; stepMs: number } {
  return { from: Date.parse(from), stepMs: stepSeconds * 1_000 };
}

function Site({ metrics, isPublic }: OfMetrics & { isPublic: boolean }) {
  if (!isPublic) return null;
  const { now, series } = metrics.site;
  const steps = stepsOf(metrics);
  // A site without requests has rates of 0 and no other values.
  const nothing = now.requestsPerSecond === null ? 'Nothing measured yet' : 'No requests yet';
  return (
    <section className="panel padded" aria-label="Site">
      <div className="pod-head">
        <h3>Site</h3>
        {now.requestsPerSecond !== null && <span className="small soft">over the last minute</span>}
      </div>
      <div className="charts">
        <Chart
          title="Requests"
          print={printRate}
          least={1}
          lines={[
            { name: 'all', tone: 'sea', values: series.requestsPerSecond, now: now.requestsPerSecond },
            { name: '4xx', tone: 'warn', values: series.clientErrorsPerSecond, now: now.clientErrorsPerSecond },
            { name: '5xx', tone: 'alarm', values: series.serverErrorsPerSecond, now: now.serverErrorsPerSecond },
          ]}
          nothing={nothing}
          {...steps}
        />
        <Chart
          title="Answers begin after"
          print={printTime}
          least={5}
          lines={[
            { name: 'p50', tone: 'ready', values: series.p50Ms, now: now.p50Ms },
            { name: 'p95', tone: 'sea', values: series.p95Ms, now: now.p95Ms },
          ]}
          nothing={nothing}
          {...steps}
        />
      </div>
    </section>
  );
}

type PodProps = OfMetrics & { pod: PodMetrics; volumes: readonly VolumeUse[]; hasReplicas: boolean };

function Pod({ pod, metrics, volumes, hasReplicas }: PodProps) {
  const { name, replica, now, series, cpuLimitMillis, memoryLimitBytes } = pod;
  const steps = stepsOf(metrics);
  const title = hasReplicas ? `${name}, replica ${replica + 1}` : name;
  return (
    <section className="panel padded" aria-label={`Pod ${title}`}>
      <div className="pod-head">
        <h3>{title}</h3>
        <Life pod={pod} />
      </div>
      <div className="charts">
        <Chart
          title="Processor"
          print={printCpu(cpuLimitMillis)}
          least={cpuLimitMillis ?? 100}
          limit={cpuLimitMillis === undefined ? undefined : { value: cpuLimitMillis, text: printCores(cpuLimitMillis) }}
          lines={[{ name: 'used', tone: 'sea', values: series.cpuMillis, now: now?.cpuMillis ?? null }]}
          {...steps}
        />
        <Chart
          title="Memory"
          print={printSize}
          least={2 ** 20}
          unit="bytes"
          limit={
            memoryLimitBytes === undefined ? undefined : { value: memoryLimitBytes, text: printSize(memoryLimitBytes) }
          }
          lines={[{ name: 'held', tone: 'sea', values: series.memoryBytes, now: now?.memoryBytes ?? null }]}
          {...steps}
        />
        <Chart
          title="Network"
          print={printByteRate}
          least={1_024}
          unit="bytes"
          lines={[
            {
              name: 'in',
              tone: 'ready',
              values: series.receivedBytesPerSecond,
              now: now?.receivedBytesPerSecond ?? null,
            },
            { name: 'out', tone: 'sea', values: series.sentBytesPerSecond, now: now?.sentBytesPerSecond ?? null },
          ]}
          {...steps}
        />
      </div>
      <Volumes volumes={volumes} prefix="" />
    </section>
  );
}

/** Since when it runs, and how often it was started again and why. */
function Life({ pod: { now, startedAt, restarts, lastExit } }: { pod: PodMetrics }) {
  const present = useNow(10_000);
  const up = now && startedAt !== undefined ? `up ${printUptime(present - Date.parse(startedAt))}` : 'not running';
  const again = restarts === 0 ? 'no restarts' : restarts === 1 ? '1 restart' : `${restarts} restarts`;
  return (
    <p className="small soft life">
      {up} · {again}
      {lastExit && (
        <>
          {' '}
          · last: {lastExit.reason}, {printAgo(present - Date.parse(lastExit.at))}
        </>
      )}
    </p>
  );
}

function Volumes({ volumes, prefix }: { volumes: readonly VolumeUse[]; prefix: string }) {
  return volumes.map(({ name, usedBytes, sizeBytes }) => {
    const reported = `${printSize(usedBytes)} of ${printSize(sizeBytes)}`;
    const percent = Math.round((100 * usedBytes) / Math.max(sizeBytes, 1));
    const shown = name.slice(prefix.length);
    return (
      <div className="meter" key={name}>
        <div className="row">
          <span className="small">Volume {shown}</span>
          <span className="push numbers small soft">
            {reported} ({percent} %)
          </span>
        </div>
        <progress
          className={percent >= 90 ? 'full' : undefined}
          value={usedBytes}
          max={Math.max(sizeBytes, 1)}
          aria-label={`Volume ${shown}: ${reported}`}
        />
      </div>
    );
  });
}

/** The service's prefix for volumes that several pods share. */
const sharedPrefix = 'shared.';

/**
 * Replicas of a statefulset have their own volumes. Those of other pods share theirs, which are shown at the first
 * replica.
 */
function volumesOf(pod: PodMetrics, outline: readonly PodOutline[], volumes: readonly VolumeUse[]): VolumeUse[] {
  const described = outline.find(({ name }) => name === pod.name);
  if (!described || (described.resourceType !== 'statefulset' && pod.replica > 0)) return [];
  const owner = pod.replica > 0 ? `${pod.name}-${pod.replica}` : pod.name;
  return described.volumes.flatMap((volume) => {
    const found = volumes.find(({ name }) => name === `${owner}-${volume.name}`);
    return found ? [{ ...found, name: volume.name }] : [];
  });
}
