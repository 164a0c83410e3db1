/** Header, list, steps and picture show the same state of a deployment, through all its changes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from '../scenarios/applications.ts';
import { openBrowser, type TestBrowser, type Visitor } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(async () => await browser.close());

const nowhere = 'localhost:1/nothing:1';

async function deploy(visitor: Visitor, yaml: string): Promise<void> {
  const { page } = visitor;
  await visitor.start();
  await page.setInputFiles('input[type=file]', { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(yaml) });
  await page.waitForSelector('.picture .pod-box >> text=web');
  await visitor.deploy();
}

test('only the failed pod is shown as failed, and the database next to it as starting', async () => {
  const visitor = await browser.visitor('blame', 'desktop');
  const { page } = visitor;
  const database = `    - name: db
      image: node:26-slim
      servicePorts: [5432]
      volumes: [{ name: data, size: 16Mi, mountPath: /data }]
      command: [node, -e, "setInterval(() => {}, 1e9)"]
`;
  await deploy(visitor, `${webYaml('guilty', 'x').replace('node:26-slim', nowhere)}${database}`);
  await visitor.reach('failed');
  await page.waitForSelector('.picture .pod-box.failed >> text=web');
  await page.waitForSelector('.picture .pod-box.starting >> text=db');
  await page.waitForSelector('.steps .failed >> text=web');
  await page.waitForSelector('.steps .now >> text=db');
  assert.equal(await page.locator('.picture .pod-box.failed').count(), 1);
  await visitor.look('overview');
  await page.goto('/deployments');
  await page.waitForSelector('.deployment-rows .badge.failed');
  await visitor.close();
});

test('after a failed update header, list and picture say that the earlier revision serves', async () => {
  const visitor = await browser.visitor('serving', 'desktop');
  const { page } = visitor;
  await deploy(visitor, webYaml('served', 'first'));
  await visitor.reach('running');
  const kept = await page.evaluate(() => Object.values(localStorage).join('\n'));
  const sessionToken = /berth_[A-Za-z0-9_-]+/.exec(kept)![0];
  const { status } = await browser.berth.postYaml(
    `/updateUserDeployment?sessionToken=${sessionToken}`,
    webYaml('served', 'second').replace('node:26-slim', nowhere),
  );
  assert.equal(status, 200);
  await page.waitForSelector('.deployment-header .badge.serving');
  await page.waitForSelector('.picture .pod-box.ready >> text=web');
  assert.doesNotMatch(await page.locator('.picture').innerText(), /nothing/, 'what does not run');
  await page.waitForSelector('h2 >> text=Revision 2 did not become ready; revision 1 still serves');
  await visitor.look('overview');
  await page.goto('/deployments');
  await page.waitForSelector('.deployment-rows .badge.serving');
  await visitor.look('list');
  await visitor.close();
});
