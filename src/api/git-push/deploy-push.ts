/** The effect of a push: it updates the application of the caller, or starts it. */
import type { FastifyRequest } from 'fastify';
import type { Deployment } from '../../deployment/deployment.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { originOf } from '../admission/caller-admission.ts';
import { payerOf } from '../admission/plans.ts';
import type { Proofs } from '../admission/proof-challenges.ts';
import type { Service } from '../api-service.ts';
import { type Documents, refuseBeyond } from '../configuration/documents.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import type { SourceConfiguration } from '../configuration/source-bodies.ts';
import { addNamedDomains, withNamed } from '../custom-domains/named-domains.ts';
import { previewOnce, surprisesOf } from '../deployments/previewed-update.ts';
import { start } from '../deployments/start-deployment.ts';
import { update } from '../deployments/update-deployment.ts';
import { applicationOf, authMethodOf, type Caller } from '../requests/callers.ts';
import type { Limits } from '../requests/rate-limits.ts';
import type { PushAddress } from './push-address.ts';

export type PushParts = { service: Service; documents: Documents; limits: Limits; proofs: Proofs };

export type Push = { address: PushAddress; configuration: SourceConfiguration; caller: Caller | undefined };

/** `sessionToken`: of the new session of a caller without credentials. */
export type Pushed = {
  kind: 'started' | 'updated';
  deployment: Deployment;
  sessionToken: string | undefined;
  warnings: string[];
};

export async function deployPush(parts: PushParts, request: FastifyRequest, push: Push): Promise<Result<Pushed>> {
  const { address, configuration, caller } = push;
  const { spec } = configuration;
  if (spec.name !== address.applicationName)
    return refuse(
      'invalid_request',
      `The source names the application ${spec.name}, and the address names ${address.applicationName}.`,
      `Push to an address that ends with /${spec.name}.git.`,
    );
  if (!caller) return await startFrom(parts, request, push);
  const found = applicationOf(caller, address);
  if (found.ok) return await updateFrom(parts, request, { caller, current: found.value, configuration });
  const isNew = found.problem.code === 'application_not_found' && address.environment === undefined;
  return isNew ? await startFrom(parts, request, push) : found;
}

async function updateFrom(
  { service, documents }: PushParts,
  request: FastifyRequest,
  { caller, current, configuration }: { caller: Caller; current: Deployment; configuration: SourceConfiguration },
): Promise<Result<Pushed>> {
  const { document, spec, source, findings } = configuration;
  const preview = previewOnce(service, current, { spec, source });
  const surprises = await surprisesOf(spec, preview);
  const updated = await update(service, {
    ...{ document, spec, current, preview, source },
    token: caller.kind === 'session' ? caller.token : undefined,
    origin: originOf(request, service.settings),
    askedBy: authMethodOf(caller),
    isTrial: false,
    explain: (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds }),
  });
  if (!updated.ok) return updated;
  const named = await addNamedDomains(service, updated.value, spec);
  const { warnings } = withNamed({ ...findings, warnings: [...findings.warnings, ...surprises] }, named);
  return succeed({ kind: 'updated', deployment: updated.value, sessionToken: undefined, warnings });
}

async function startFrom(
  { service, documents, limits, proofs }: PushParts,
  request: FastifyRequest,
  { configuration, caller }: Push,
): Promise<Result<Pushed>> {
  if (!limits.allowsStart(request)) return tooManyStarts;
  const unproven = payerOf(caller) === null ? await proofs.refuse(request) : undefined;
  if (unproven) return { ok: false, problem: { ...unproven, hint: 'Try again later, or push with an API key.' } };
  const { document, spec, source, findings } = configuration;
  const started = await start(service, {
    ...{ document, spec, caller, source },
    origin: originOf(request, service.settings),
    key: undefined,
    isTrial: false,
    explain: (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds }),
  });
  if (!started.ok) return started;
  const { deployment, sessionToken } = started.value;
  const { warnings } = withNamed(findings, await addNamedDomains(service, deployment, spec));
  const shown = caller === undefined ? sessionToken : undefined;
  return succeed({ kind: 'started', deployment, sessionToken: shown, warnings });
}

const tooManyStarts: Result<never> = {
  ok: false,
  problem: {
    code: 'rate_limited',
    error: 'Too many starts from your address.',
    hint: 'Try again in a minute.',
    retryAfterSeconds: 60,
  },
};
