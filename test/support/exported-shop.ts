/** A shop with a database on the API of tests, and the tar that is exported of it. */
import assert from 'node:assert/strict';
import type { TestApi } from './api.ts';
import { filesOfTar } from './tar-files.ts';

export const shop = `application:
  name: shop
  pods:
    - { name: web, image: "nginx:1", path: /, servicePorts: [80], vars: { DB: "postgres://app:<% SECRET DB_PASSWORD %>@db:5432/app" } }
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: <% SECRET DB_PASSWORD %> }
      volumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]
`;

/** Its database has written a file. */
export async function startShop(api: TestApi, yaml = shop) {
  const { body } = await api.postYaml('/startUserDeployment', yaml);
  const [{ id }] = (await api.service.db.selectFrom('deployments').select('id').execute()) as [{ id: string }];
  const files = new Map([['base/1', 'every row']]);
  api.world.volumes.set(`${id}/db-data`, {
    owner: 'memory',
    deploymentId: id,
    volume: 'db-data',
    sizeBytes: 2 ** 30,
    files,
  });
  return { token: body.sessionToken as string, id };
}

/** Its files by their path. `more`: of the query. */
export async function exportShop(api: TestApi, token: string, more = '') {
  const answer = await api.app.inject({
    url: `/exportDeployment?applicationName=shop${more}`,
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(answer.statusCode, 200, answer.body);
  assert.equal(answer.headers['content-type'], 'application/x-tar');
  assert.match(String(answer.headers['content-disposition']), /filename="shop\.tar"/);
  return await filesOfTar(answer.rawPayload);
}
