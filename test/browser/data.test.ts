/** The data of a deployment: snapshots are taken, put back and deleted, and everything is taken elsewhere. Needs root. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { buildImage } from '../contract/image.ts';
import { until } from '../scenarios/berth.ts';
import { claim } from '../scenarios/claimed.ts';
import { filesOfTar } from '../support/tar-files.ts';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };

let browser: TestBrowser;
let image: string;
before(async () => {
  browser = await openBrowser({ BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never' });
  image = await buildImage(await connectDocker(), { name: 'contract' });
});
after(async () => await browser?.close());

const cache = `    - name: cache
      image: redis:7
      servicePorts: [6379]
      volumes: [{ name: data, size: 16Mi, mountPath: /data }]
`;

/** Each start writes a line to both volumes. */
const yaml = (name: string, others = '') => `application:
  name: ${name}
  pods:
    - name: web
      image: "${image}"
      path: /
      servicePorts: [8080]
      entrypoint: /bin/sh
      command: ["-c", "echo started >>/data/said; echo started >>/more/said; ln -sfn /more /data/more; exec busybox httpd -f -p 8080 -h /data"]
      vars: { TOKEN: <% SECRET TOKEN %> }
      volumes:
        - { name: data, size: 16Mi, mountPath: /data }
        - { name: more, size: 16Mi, mountPath: /more }
${others}`;

for (const width of widthsHere('phone', 'desk')) {
  test(
    `a snapshot is taken, shows what it would replace, is restored and deleted; an export is saved (${width})`,
    needsRoot,
    async () => {
      const { berth } = browser;
      const visitor = await browser.visitor('data', width);
      const { page } = visitor;
      // A headless browser has no file dialog.
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'));
      const applicationName = `kept-${width}`;
      await visitor.deployText(yaml(applicationName, cache), 'web');
      await visitor.reach('running');
      await visitor.openTab('Data');
      const panel = page.getByRole('region', { name: 'Snapshots' });
      await panel.getByText('claim this one first').waitFor();
      assert.equal(await panel.getByRole('button').count(), 0);
      await visitor.look('unclaimed');

      const url = (await page.locator('.address a').getAttribute('href'))!;
      await claim(berth, { url, applicationName, sessionToken: await visitor.token() });
      await page.reload();
      await panel.getByText('None yet.').waitFor();
      await panel.getByLabel('With the database’s own tool: cache').check();
      await visitor.lookInBothThemes('none');
      await panel.getByRole('button', { name: 'Take a snapshot' }).click();
      const rows = panel.getByRole('listitem');
      await rows.first().locator('.badge.running').waitFor();
      assert.match(
        await rows.first().innerText(),
        /kept[\s\S]*Requested · revision 1 · [\d.]+ \S+[\s\S]*web-data, web-more, cache \(saved first\)/,
      );
      await panel.getByLabel('Before each update that changes data').check();
      await page.waitForSelector('.toast >> text=A snapshot is taken before each update');
      await visitor.lookInBothThemes('taken');

      const said = (path: string) =>
        until('it answers', async () => {
          const { status, text } = await berth.visit(`${url.replace(/\/$/, '')}/${path}`);
          return status === 200 ? text : undefined;
        });
      await panel.getByRole('button', { name: /^Restore snapshot/ }).click();
      const dialog = page.getByRole('dialog', { name: /^Restore snapshot/ });
      await dialog.getByText(/^Replaced by the previous data .*: cache-data, web-data, web-more\.$/).waitFor();
      for (const name of ['web-data', 'cache-data']) await dialog.getByLabel(name).uncheck();
      await dialog.getByText('Stopped and started again: web. Left as they are: web-data, cache-data.').waitFor();
      await visitor.lookInBothThemes('restore');
      await dialog.getByRole('button', { name: 'Replace the data' }).click();
      await panel.getByText(/Restored web-more, .*The previous data is in snapshot/).waitFor();
      await visitor.reach('running');
      assert.deepEqual([await said('said'), await said('more/said')], ['started\nstarted\n', 'started\nstarted\n']);
      await rows.nth(1).waitFor();
      assert.match(await rows.first().innerText(), /Before a restore/);
      await visitor.lookInBothThemes('restored');

      await panel
        .getByRole('button', { name: /^Restore snapshot/ })
        .first()
        .click();
      await dialog.getByLabel('As a new deployment').check();
      await dialog
        .getByText(/^It starts with the previous data .*, at revision 1: cache-data, web-data, web-more\.$/)
        .waitFor();
      await visitor.lookInBothThemes('beside');
      await dialog.getByRole('button', { name: 'Start as a new deployment' }).click();
      await page.waitForURL(({ pathname }) => !pathname.endsWith('/data'));
      await visitor.reach('running');
      const newUrl = (await page.locator('.address a').getAttribute('href'))!;
      assert.notEqual(newUrl, url);
      await page.goBack();
      await panel.getByText(/Restored web-more, /).waitFor();

      const oldest = panel.getByRole('button', { name: /^Delete snapshot/ }).last();
      await oldest.click();
      await visitor.look('delete');
      await page.getByRole('button', { name: 'Delete it' }).click();
      await rows.nth(1).waitFor({ state: 'detached' });

      const exporting = page.getByRole('region', { name: 'Export' });
      const save = async () => {
        const coming = page.waitForEvent('download');
        await exporting.getByRole('button', { name: 'Export' }).click();
        const download = await coming;
        assert.equal(download.suggestedFilename(), `${applicationName}.tar`);
        await exporting.getByRole('button', { name: 'Export' }).waitFor();
        return await filesOfTar(await readFile(await download.path()));
      };
      const bare = await save();
      const archive = await filesOfTar(bare.get(`${applicationName}/volumes/web-data.tar`)!);
      assert.equal(archive.get('./said')!.toString(), 'started\nstarted\n');
      assert.match(bare.get(`${applicationName}/compose.yaml`)!.toString(), /TOKEN/);
      await exporting.getByLabel('With secrets').check();
      await exporting.getByLabel('Without volumes').check();
      await exporting.getByText('keep it where only you can read it').waitFor();
      await visitor.look('export');
      const full = await save();
      assert.ok(![...full.keys()].some((path) => path.includes('/volumes/')), [...full.keys()].join(' '));
      await visitor.close();
    },
  );
}

test(
  'where the browser offers a place for it, an export is written there as it comes, and a refused one leaves none',
  needsRoot,
  async () => {
    const visitor = await browser.visitor('data-place', 'desk');
    const { page } = visitor;
    // A headless browser has no file dialog. The place is a real one of the browser.
    await page.addInitScript(() => {
      const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) =>
        await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      Object.assign(globalThis, { showSaveFilePicker });
    });
    await visitor.deployText(yaml('placed'), 'web');
    await visitor.reach('running');
    await visitor.openTab('Data');
    const size = () =>
      page.evaluate(async () => {
        const folder = await navigator.storage.getDirectory();
        // It may go between the two.
        const handle = folder.getFileHandle('placed.tar');
        const file = await handle.then((found) => found.getFile()).catch(() => undefined);
        return file?.size;
      });
    const exporting = page.getByRole('region', { name: 'Export' });
    await exporting.getByRole('button', { name: 'Export' }).click();
    await page.waitForSelector('.toast >> text=placed.tar is saved');
    const saved = await size();
    assert.ok(saved! > 10_000);
    await page.route('**/exportDeployment?*', (route) =>
      route.fulfill({ status: 429, json: { error: 'An export is under way.', code: 'rate_limited' } }),
    );
    await exporting.getByRole('button', { name: 'Export' }).click();
    await exporting.getByText('An export is under way.').waitFor();
    assert.equal(await size(), saved, 'the previous file is unchanged');
    await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry('placed.tar'));
    const refused = page.waitForResponse('**/exportDeployment?*');
    await exporting.getByRole('button', { name: 'Export' }).click();
    await refused;
    await until('the empty file is gone', async () => ((await size()) === undefined ? true : undefined));
    await exporting.getByText('An export is under way.').waitFor();
    await visitor.look('refused', /status of 429/);
    await visitor.close();
  },
);

test('without volumes or snapshots, this is shown with advice', async () => {
  const visitor = await browser.visitor('data-without', 'phone');
  const { page } = visitor;
  const panel = page.getByRole('region', { name: 'Snapshots' });
  const bare = `application: { name: bare, pods: [{ name: web, image: "${image}", path: /, servicePorts: [8080] }] }`;
  await visitor.deployText(bare, 'web');
  await visitor.reach('running');
  await visitor.openTab('Data');
  await panel.getByText('This application has no volumes').waitFor();
  await visitor.lookInBothThemes('no-volumes');

  await page.goto('about:blank');
  await browser.berth.end('SIGTERM');
  await browser.berth.serve({ BERTH_SNAPSHOTS: 'none' });
  await visitor.deployText(yaml('unoffered'), 'web');
  await visitor.reach('running');
  await visitor.openTab('Data');
  await panel.getByText('This server takes no snapshots').waitFor();
  assert.equal(await panel.getByRole('button').count(), 0);
  await visitor.lookInBothThemes('not-offered', /status of 409/);
  await visitor.close();
});
