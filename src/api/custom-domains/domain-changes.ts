/** Changes of custom domains. Each is one transaction, and the domain is checked afterwards. */
import { type Deployment, isActive } from '../../deployment/deployment.ts';
import { readDomainName } from '../../deployment/domain/domain-name.ts';
import type { Domain } from '../../deployment/domain/domain-state.ts';
import { domainsOf, refuseByPlan, type Tier } from '../../deployment/limits/plan-tier.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';
import {
  countDomains,
  domainOfAccount,
  domainsOfDeployment,
  isHeldByOther,
  makeDomainDue,
  putDomain,
  releaseDomain,
} from '../../store/domains.ts';
import { transact } from '../../store/transaction.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';

/** `isNamedOnly`: a configuration names the domain. A domain that the account already has stays with its deployment. */
export type NewDomain = { domain: string; redirectTo?: string; isNamedOnly?: boolean };

/** Another check so soon would give the same result. */
const checkAgainMs = 5_000;

export async function addDomain(
  service: Service,
  deployment: Deployment,
  { domain, redirectTo, isNamedOnly = false }: NewDomain,
): Promise<Result<Domain>> {
  const { settings, now } = service;
  if (!settings.domains)
    return refuse(
      'domains_not_offered',
      'This service reads its certificates from files, and none of these is for custom domains.',
      'The operator can set up an authority that issues certificates (BERTH_ACME).',
    );
  const own = ownNames(service, deployment);
  const name = readDomainName(domain, own);
  if (!name.ok) return name;
  const target = redirectTo === undefined ? succeed(null) : readDomainName(redirectTo, own);
  if (!target.ok) return target;
  const added = await transact(service.db, async (db): Promise<Result<Domain>> => {
    const plan = await claimedPlan(service, db, deployment);
    if (!plan.ok) return plan;
    const { accountId, tier } = plan.value;
    const key = { name: name.value, accountId };
    if (await isHeldByOther(db, key, now())) return taken(name.value);
    const known = await domainOfAccount(db, key);
    const isNew = known === undefined || known.releasedAt !== null;
    if (isNamedOnly && !isNew)
      return known.deploymentId === deployment.id ? succeed(known) : await leadsElsewhere(db, known);
    if (isNew && (await countDomains(db, accountId)) >= domainsOf(tier)) return tooMany(tier);
    const others = (await domainsOfDeployment(db, deployment.id)).filter((other) => other.releasedAt === null);
    const targetDomain = others.find((other) => other.name === target.value);
    if (target.value !== null && (target.value === name.value || !targetDomain || targetDomain.redirectTo !== null))
      return refuse(
        'invalid_domain',
        `Visitors cannot be redirected to "${target.value}".`,
        'Name another domain of this deployment that does not redirect. Add that domain first.',
      );
    await putDomain(db, { ...key, deploymentId: deployment.id, redirectTo: target.value, now: now() });
    return succeed((await domainOfAccount(db, key))!);
  });
  if (added.ok) service.wakeDomains();
  return added;
}

export async function removeDomain(service: Service, deployment: Deployment, text: string): Promise<Result<Domain>> {
  const removed = await transact(service.db, async (db): Promise<Result<Domain>> => {
    const domain = await domainNamed(service, db, deployment, text);
    if (domain.ok) await releaseDomain(db, domain.value, { because: 'removed', now: service.now() });
    return domain;
  });
  if (removed.ok) service.wakeDomains();
  return removed;
}

/** Starts a lookup now, unless the last one was a moment ago. */
export async function requestCheck(service: Service, deployment: Deployment, text: string): Promise<Result<Domain>> {
  const now = service.now();
  const found = await domainNamed(service, service.db, deployment, text);
  if (!found.ok || (found.value.checkedAt ?? 0) > now - checkAgainMs) return found;
  await makeDomainDue(service.db, found.value, now);
  service.wakeDomains();
  return found;
}

/** Returns the named domain of the deployment, unless it was lost. */
export async function domainNamed(
  service: Service,
  db: Database,
  deployment: Deployment,
  text: string,
): Promise<Result<Domain>> {
  const name = readDomainName(text, ownNames(service, deployment));
  const present = (await domainsOfDeployment(db, deployment.id)).filter(({ releasedAt }) => releasedAt === null);
  const domain = name.ok ? present.find((each) => each.name === name.value) : undefined;
  if (domain) return succeed(domain);
  const names = present.map((each) => each.name).join(', ');
  return refuse(
    'domain_not_found',
    'The deployment has no such custom domain.',
    names === '' ? 'The deployment has no custom domains. POST /addDomain adds a domain.' : `It has: ${names}.`,
  );
}

async function claimedPlan(
  service: Service,
  db: Database,
  { id }: Deployment,
): Promise<Result<{ accountId: string; tier: Tier }>> {
  const latest = await deploymentById(db, id);
  if (!latest || !isActive(latest, service.now()))
    return refuse('application_not_found', 'The application has just ended.', 'Start it again.');
  const plan = await planOfDeployment(db, service.settings.tiers, latest);
  if (plan) return succeed(plan);
  return refuse(
    'domain_needs_claim',
    'Only a claimed deployment can have custom domains.',
    'Claim it (POST /claimDeployment): a domain belongs to an account.',
  );
}

function taken(name: string): Result<never> {
  return refuse(
    'domain_taken',
    `Another account has ${name}, or has lost it within the last seven days.`,
    `If it is yours, remove that account's record from _berth.${name}: three days later the name is released, and seven days after that it is free.`,
  );
}

async function leadsElsewhere(db: Database, { name, deploymentId }: Domain): Promise<Result<never>> {
  const other = await deploymentById(db, deploymentId);
  return refuse(
    'domain_taken',
    `${name} leads to another deployment of yours: ${other?.applicationName} (${other?.environment}).`,
    `"berth domains add ${name}" moves it here (POST /addDomain).`,
  );
}

function tooMany(tier: Tier): Result<never> {
  const most = domainsOf(tier);
  return refuseByPlan(
    'plan_limit_reached',
    `The plan "${tier.name}" allows ${most} custom domain${most === 1 ? '' : 's'}, and the account has them.`,
    ['remove a domain that you no longer need (POST /removeDomain)'],
  );
}

function ownNames({ settings, urlOf }: Service, { label }: Deployment) {
  const { hostname } = urlOf(label);
  return { apiHost: settings.baseUrl.hostname, appsDomain: hostname.slice(label.length + 1) };
}
