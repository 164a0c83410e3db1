/**
 * Proxies that read their routes from labels through the engine's socket, such as Traefik. The edge replaces such a
 * proxy, and its labels become routes.
 */

import { isEngineSocket } from '../../config/compose/service-volumes.ts';
import { childOf, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import { shortNameOf } from '../../config/values/image-names.ts';
import type { Findings } from '../findings.ts';
import { listTree, mapTree, scalar, withKeys } from '../trees.ts';
import { withoutServices } from './active-services.ts';

/** Returns the document unchanged without such a proxy, or if the proxy does more than route. */
export function replaceLabelProxies(document: Tree, findings: Findings): Tree {
  const services = entriesOf(childOf({ tree: document, path: [] }, 'services'));
  const proxies = services.filter(([, service]) => isLabelProxy(service));
  const routed = services.flatMap(([name, service]) => {
    const route = routeOf(labelsOf(service));
    return route ? [{ name, service, route }] : [];
  });
  // Labels with access rules or path changes. Without them, the service would be exposed or broken.
  const isMore = services.some(([, service]) =>
    [...labelsOf(service).keys()].some((key) => /\.middlewares(?:\.|$)/.test(key)),
  );
  if (proxies.length === 0 || routed.length === 0 || isMore) return document;
  for (const [name, { key }] of proxies) {
    const message = `the proxy "${name}" is left out: the routes that its labels say are Berth's own here`;
    findings.note('proxy-left-out', message, key?.at, 'the edge serves visitors, with HTTPS if it is configured');
  }
  const routes = new Map(routed.map(({ name, service, route }) => [name, withRoute(service, route)]));
  const gone = new Set(proxies.map(([name]) => name));
  const kept = services
    .filter(([name]) => !gone.has(name))
    .map(([name, field]): [string, Field] => [name, { ...field, tree: routes.get(name) ?? field.tree }]);
  return withoutServices(document, kept, gone);
}

type Route = { path?: string; port: string | undefined; at: number };

function isLabelProxy(service: Field): boolean {
  const isTraefik = shortNameOf(textOf(childOf(service, 'image')) ?? '') === 'traefik';
  return isTraefik && itemsOf(childOf(service, 'volumes')).some((mount) => isEngineSocket(sourceOf(mount)));
}

function sourceOf(mount: Field): string {
  return textOf(mount.tree.kind === 'map' ? childOf(mount, 'source') : mount) ?? '';
}

function labelsOf(service: Field): Map<string, { value: string; at: number }> {
  const labels = childOf(service, 'labels');
  if (labels?.tree.kind === 'map') {
    return new Map(
      entriesOf(labels).map(([name, { tree }]) => [name, { value: textOf({ tree, path: [] }) ?? '', at: tree.at }]),
    );
  }
  return new Map(
    itemsOf(labels).map((item) => {
      const [, name = '', value = ''] = /^([^=]*)=?([\s\S]*)$/.exec(textOf(item) ?? '') ?? [];
      return [name, { value, at: item.tree.at }];
    }),
  );
}

/** Undefined for a service that no router leads to. */
function routeOf(labels: ReturnType<typeof labelsOf>): Route | undefined {
  const rule = [...labels].find(([name]) => /^traefik\.http\.routers\.[^.]+\.rule$/.test(name))?.[1];
  if (!rule || labels.get('traefik.enable')?.value === 'false') return undefined;
  const port = [...labels].find(([name]) =>
    /^traefik\.http\.services\.[^.]+\.loadbalancer\.server\.port$/.test(name),
  )?.[1];
  const path = /Path(?:Prefix)?\(`(\/[^`]*)`\)/.exec(rule.value.slice(0, 1000))?.[1];
  return { ...(path !== undefined && { path }), port: port?.value, at: rule.at };
}

/** Adds a route. A rule with a path becomes a route with that path. Otherwise the port is published like any other. */
function withRoute({ tree, path }: Field, route: Route): Tree {
  const { at } = route;
  const own = childOf({ tree, path }, 'x-berth')?.tree ?? mapTree([], at);
  const port = route.port === undefined ? undefined : scalar(route.port, at);
  if (route.path !== undefined) {
    const said = { path: scalar(route.path, at), ...(port && { port }) };
    const expose = port && !childOf({ tree, path }, 'ports') ? { expose: listTree([port], at) } : {};
    return withKeys(tree, { 'x-berth': withKeys(own, said), ...expose });
  }
  return port && !childOf({ tree, path }, 'ports') ? withKeys(tree, { ports: listTree([port], at) }) : tree;
}
