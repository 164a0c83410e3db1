/**
 * The metadata of the service's keys (RFC 9728), for programs that follow the link of a 401 response. Keys are not
 * issued by OAuth, so no authorization server is named. The linked page explains to users and agents how to get a key.
 */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { ApiSettings } from '../api-service.ts';

const path = '/.well-known/oauth-protected-resource';

export function protectedResource({ baseUrl: { origin } }: Pick<ApiSettings, 'baseUrl'>): FastifyPluginAsync {
  const described = (resource: string) => ({
    resource,
    resource_name: 'Berth',
    resource_documentation: `${origin}/auth.md`,
    bearer_methods_supported: ['header'],
  });
  return async (app) => {
    const options = { config: { limit: 'page' as const }, schema: { hide: true } };
    app.get(path, options, async () => described(origin));
    // Section 3.1: the well-known path is inserted before the path of the resource.
    app.get(`${path}/mcp`, options, async () => described(`${origin}/mcp`));
  };
}

/** Section 5.1. The parameter follows the challenge, which names the error. */
export function pointToProtectedResource(
  app: FastifyInstance,
  { baseUrl: { origin } }: Pick<ApiSettings, 'baseUrl'>,
): void {
  app.addHook('onSend', async (_, reply) => {
    const challenge = reply.getHeader('WWW-Authenticate');
    if (reply.statusCode !== 401 || typeof challenge !== 'string') return;
    reply.header('WWW-Authenticate', `${challenge}, resource_metadata="${origin}${path}"`);
  });
}
