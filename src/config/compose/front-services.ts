/** Finds the published service that visitors should see first, because it is in front of the others. Pure. */
import { shortNameOf } from '../values/image-names.ts';

export type Published = {
  service: string;
  pod: string;
  image: string;
  /** Whether a port of it is 80 or 443 of the host: the address that people type without a port. */
  isOnWebPort: boolean;
};

type Uses = (pod: string) => readonly string[];

/** Names of front ends, sorted by how rarely they mean something else. `app` is often a back end. */
const fronts: RegExp[] = [
  /^(?:frontend|front|ui|webui|gui|client|webapp|website|www|site|spa)$/,
  /^web$/,
  /^(?:app|application)$/,
];
const proxies = /^(?:proxy|nginx|caddy|traefik|haproxy|httpd|apache|ingress|lb|loadbalancer|balancer|edge)$/;
/** `server` is a back end next to `client`, but not in `web-server`. */
const backs =
  /^(?:apis?|backend|back|worker|jobs?|queue|cron|scheduler|celery|consumer|grpc|rpc|graphql|ws|websocket|webhooks?)$/;
const asides =
  /^(?:admin|docs|storybook|swagger|tests?|e2e|mock|debug|metrics|exporter|monitor(?:ing)?|kafka|redis|db)$/;
/** Images that accompany an application. They are only the front end if nothing else is published. */
const besides = /^(?:grafana|keycloak|kibana|metabase|node-red|gitea)$/;

const places = { entry: 0, front: 1, dependent: 2, maybeFront: 3, any: 4, behind: 5, beside: 6 };

/**
 * Sorts the services by the likelihood of being the front end. The sort is stable. `uses`: the pods that a pod waits
 * for.
 */
export function sortByFront<T extends Published>(published: readonly T[], uses: Uses): T[] {
  const candidates = published.map((one) => ({ one, ...roleOf(one), reached: reachedFrom(one.pod, uses) }));
  return candidates
    .map((candidate) => ({ ...candidate, place: places[placeOf(candidate, candidates)] }))
    .toSorted((a, b) => a.place - b.place || a.strength - b.strength)
    .map(({ one }) => one);
}

/**
 * Returns the services that visitors reach through a proxy. The first of the sorted services is the proxy, which waits
 * for them. On a laptop, each of them also has its own port. Under a path of its own, the links of such a service would
 * break.
 */
export function reachedThroughProxy<T extends Published>(sorted: readonly T[], uses: Uses): T[] {
  const [first, ...others] = sorted;
  if (first === undefined || roleOf(first).role !== 'proxy') return [];
  const reached = reachedFrom(first.pod, uses);
  return others.filter(({ pod }) => reached.has(pod));
}

type Role = { role: 'front' | 'proxy' | 'behind' | 'beside' | 'any'; strength: number };
type Candidate = Role & { one: Published; reached: ReadonlySet<string> };

function placeOf(candidate: Candidate, all: readonly Candidate[]): keyof typeof places {
  const { one, role, strength, reached } = candidate;
  if (role === 'behind' || role === 'beside') return role;
  const others = all.filter((other) => other !== candidate);
  const isBehind = others.some((other) => {
    if (!other.reached.has(one.pod) || other.role === 'behind' || other.role === 'beside') return false;
    // A service of any name that waits for "frontend" is not a front end of it.
    return strength > 0 || other.role === 'proxy' || other.role === 'front' || other.one.isOnWebPort;
  });
  if (isBehind) return 'behind';
  if (one.isOnWebPort || role === 'proxy') return 'entry';
  if (role === 'front' && strength === 0) return 'front';
  if (others.some((other) => reached.has(other.one.pod))) return 'dependent';
  return role === 'front' ? 'maybeFront' : 'any';
}

/** Returns the role of a service from the words of its name, or of its image if the name does not match. */
function roleOf({ service, image }: Published): Role {
  const repository = shortNameOf(image);
  if (besides.test(repository)) return { role: 'beside', strength: fronts.length };
  const named = roleOfName(service);
  return named.role === 'any' ? roleOfName(repository) : named;
}

function roleOfName(name: string): Role {
  const words = name
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  // A front end for the services behind it, and a back end for the page that calls it.
  if (has(/^(?:gateway|bff)$/)) return { role: 'any', strength: fronts.length };
  if (has(backs) || has(asides)) return { role: 'behind', strength: fronts.length };
  if (has(proxies)) return { role: 'proxy', strength: 0 };
  const strength = fronts.findIndex(has);
  if (strength !== -1) return { role: 'front', strength };
  return { role: has(/^server$/) ? 'behind' : 'any', strength: fronts.length };
}

/** All transitive dependencies of a pod. */
function reachedFrom(pod: string, uses: Uses): Set<string> {
  const reached = new Set<string>();
  const pending = [pod];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const other of uses(next)) {
      if (reached.has(other)) continue;
      reached.add(other);
      pending.push(other);
    }
  }
  return reached;
}
