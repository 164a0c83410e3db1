/** Custom domains of a deployment: added, listed, looked up now, and removed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Domain } from '../../deployment/domain/domain-state.ts';
import { wait } from '../../lib/wait.ts';
import { domainOfAccount, domainsOfDeployment } from '../../store/domains.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications, refusalsOfDomains } from '../description/refusals.ts';
import { ApplicationFields, ApplicationQuery, findApplication } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { addDomain, removeDomain, requestCheck } from './domain-changes.ts';
import { DomainRecord, domainRecords } from './domain-records.ts';

const Name = Type.String({ minLength: 1, maxLength: 300, description: 'A name such as shop.example.com.' });
const DomainFields = Type.Object({ ...ApplicationFields.properties, domain: Name });
const NewDomainFields = Type.Object({
  ...DomainFields.properties,
  redirectTo: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description:
        'Another domain of the deployment, to which visitors are sent on (308): `example.com` of `www.example.com`.',
    }),
  ),
});
const ListQuery = Type.Object({
  sessionToken: ApplicationFields.properties.sessionToken,
  applicationName: ApplicationFields.properties.applicationName,
  environment: ApplicationFields.properties.environment,
});

const ChangedRecord = Type.Object({ message: Type.String(), domain: DomainRecord });

/** A lookup takes tenths of a second if every name server responds. This is the maximum wait for one that does not. */
const longestLookMs = 10_000;
const lookEveryMs = 100;

export function domainEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db } = service;

  async function recordOf(deployment: Deployment, domain: Domain) {
    const [record] = await domainRecords(service, deployment, [domain]);
    return record!;
  }

  /** The domain after the requested check, or after a timeout. */
  async function whenChecked(domain: Domain): Promise<Domain> {
    const until = performance.now() + longestLookMs;
    const due = service.now();
    let latest = domain;
    while ((latest.checkedAt ?? 0) < due && latest.nextCheckAt <= due && performance.now() < until) {
      if (service.leaving?.aborted) break;
      await wait(lookEveryMs, service.leaving);
      latest = (await domainOfAccount(db, domain)) ?? latest;
    }
    return latest;
  }

  return async (app) => {
    app.get(
      '/getDomains',
      {
        schema: {
          operationId: 'listDomains',
          summary: 'List the custom domains of a deployment',
          tags: ['domains'],
          description:
            'Returns the custom domains of a deployment: their states, why they are not live, and which DNS records to set.',
          access: 'caller',
          refusals: refusalsOfApplications,
          querystring: ListQuery,
          response: { 200: Type.Object({ domains: Type.Array(DomainRecord) }), '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        const domains = await domainsOfDeployment(db, found.id);
        const shown = domains.filter(({ releasedBecause }) => releasedBecause !== 'removed');
        return { domains: await domainRecords(service, found, shown) };
      },
    );

    app.post(
      '/addDomain',
      {
        schema: {
          operationId: 'addDomain',
          summary: 'Add a custom domain to a claimed deployment',
          tags: ['domains'],
          description:
            'Adds a domain to a claimed deployment, or moves a domain of the account. The domain is served once DNS has the records in the response. Other accounts can add it until it is proven.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, ...refusalsOfDomains, 'plan_limit_reached'],
          querystring: ApplicationQuery,
          body: NewDomainFields,
          response: { 200: ChangedRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const added = orRefuse(await addDomain(service, found, request.body));
        const domain = await recordOf(found, await whenChecked(added));
        const message = `Set these records in DNS. ${domain.domain} is served once they are found.`;
        return { message, domain };
      },
    );

    app.post(
      '/checkDomain',
      {
        schema: {
          operationId: 'checkDomain',
          summary: 'Look a custom domain up now',
          tags: ['domains'],
          description: 'Looks the domain up in DNS now. The service also checks by itself.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'domain_not_found'],
          querystring: ApplicationQuery,
          body: DomainFields,
          response: { 200: ChangedRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const requested = orRefuse(await requestCheck(service, found, request.body.domain));
        const latest = (await domainOfAccount(db, requested)) ?? requested;
        const domain = await recordOf(found, await whenChecked(latest));
        return { message: `${domain.domain} is ${domain.state}.`, domain };
      },
    );

    app.post(
      '/removeDomain',
      {
        schema: {
          operationId: 'removeDomain',
          summary: 'Remove a custom domain',
          tags: ['domains'],
          description: 'Stops serving the domain. A proven domain stays reserved for the account for seven days.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'domain_not_found'],
          querystring: ApplicationQuery,
          body: DomainFields,
          response: { 200: Type.Object({ message: Type.String() }), '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const removed = orRefuse(await removeDomain(service, found, request.body.domain));
        return { message: `${removed.name} no longer leads here.` };
      },
    );
  };
}
