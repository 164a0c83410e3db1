/** Metrics in Prometheus' format. Labels never contain names, tokens or hosts. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From the inspection of a network to a pull of several gigabytes. */
const operationSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
const requestSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  return {
    registry,
    /** The number found by the last sweep, before it removed them. 0 in normal operation. */
    orphans: new Gauge({
      name: 'berth_orphans',
      help: 'Unused engine objects of Berth, as found by the last sweep.',
      registers,
    }),
    quarantined: new Gauge({
      name: 'berth_quarantined_deployments',
      help: 'Deployments on the engine that are missing from the database. 0 unless the database lost rows.',
      registers,
    }),
    sweepHeld: new Gauge({
      name: 'berth_sweep_held',
      help: 'Whether the sweep waits for the operator because the database looks older than the engine: 1, or 0.',
      registers,
    }),
    orphansRemoved: new Counter({
      name: 'berth_orphans_removed_total',
      help: 'Orphans that sweeps have removed.',
      registers,
    }),
    imagesRemoved: new Counter({
      name: 'berth_images_removed_total',
      help: 'Unused images that were removed because the disk was too full.',
      registers,
    }),
    dockerHubPulls: new Gauge({
      name: 'berth_docker_hub_pulls_left',
      help: 'Remaining anonymous pulls from Docker Hub for this address, as last reported.',
      registers,
    }),
    evictions: new Counter({
      name: 'berth_evictions_total',
      help: 'Workloads that were stopped because of their disk use.',
      registers,
    }),
    rounds: new Counter({
      name: 'berth_rounds_total',
      help: 'Rounds of background work, by their name and how they ended.',
      labelNames: ['name', 'ended'] as const,
      registers,
    }),
    diskMeans: new Gauge({
      name: 'berth_disk_means',
      help: 'Active mechanisms that limit disk use: 1 for each.',
      labelNames: ['of', 'means'] as const,
      registers,
    }),
    deployments: new Gauge({
      name: 'berth_deployments',
      help: 'Deployments that may have objects on the engine, by state.',
      labelNames: ['state'] as const,
      registers,
    }),
    committed: new Gauge({
      name: 'berth_committed',
      help: 'Resources reserved for current deployments: memory in bytes, cpu in cores.',
      labelNames: ['resource'] as const,
      registers,
    }),
    budget: new Gauge({
      name: 'berth_budget',
      help: 'Total resources that deployments can reserve: memory in bytes, cpu in cores.',
      labelNames: ['resource'] as const,
      registers,
    }),
    lastBackup: new Gauge({
      name: 'berth_last_backup_seconds',
      help: 'Time of the newest backup of the installation, in seconds since 1970; 0 before the first backup.',
      registers,
    }),
    snapshots: new Counter({
      name: 'berth_snapshots_total',
      help: 'Snapshots of deployments, and failed attempts to take or restore one.',
      labelNames: ['result'] as const,
      registers,
    }),
    oldestSnapshot: new Gauge({
      name: 'berth_oldest_snapshot_seconds',
      help: 'Time of the newest snapshot of the deployment with the oldest newest snapshot, in seconds since 1970; 0 if a deployment has none.',
      registers,
    }),
    visits: new Counter({ name: 'berth_visits_total', help: 'Visits of the control loop to deployments.', registers }),
    visitFaults: new Counter({
      name: 'berth_visit_faults_total',
      help: 'Visits that ended with a fault and are tried again.',
      registers,
    }),
    certificateEnds: new Gauge({
      name: 'berth_certificate_end_seconds',
      help: 'Expiry of each certificate of BERTH_TLS_CERTIFICATE, by position, in seconds since 1970.',
      labelNames: ['file'] as const,
      registers,
    }),
    certificates: new Gauge({
      name: 'berth_certificates',
      help: 'HTTPS certificates: served, missing, and with a failed last order.',
      labelNames: ['state'] as const,
      registers,
    }),
    firstCertificateEnd: new Gauge({
      name: 'berth_certificates_first_end_seconds',
      help: 'Earliest expiry of the served certificates, in seconds since 1970.',
      registers,
    }),
    isolated: new Gauge({
      name: 'berth_isolated',
      help: 'Whether the firewall rules around containers are in force: 1, or 0.',
      registers,
    }),
    asleep: new Gauge({
      name: 'berth_asleep',
      help: 'Deployments that sleep, by stage: frozen or stopped.',
      labelNames: ['stage'],
      registers,
    }),
    wakes: new Histogram({
      name: 'berth_wake_seconds',
      help: 'Time from a request to a sleeping deployment until its pods serve it.',
      buckets: [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8],
      registers,
    }),
    operations: new Histogram({
      name: 'berth_operations_seconds',
      help: 'Duration of plan operations, including failed ones.',
      labelNames: ['kind'] as const,
      buckets: operationSeconds,
      registers,
    }),
    clusterRequests: new Counter({
      name: 'berth_cluster_requests_total',
      help: 'Requests to the API of the cluster, excluding watches.',
      labelNames: ['method'] as const,
      registers,
    }),
    requests: new Histogram({
      name: 'berth_request_duration_seconds',
      help: 'Duration of API requests, by route.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: requestSeconds,
      registers,
    }),
  };
}
