/** From nothing to HTTPS in a real browser, which trusts pebble's root and takes nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChromium } from '../browser/chromium.ts';
import { until } from '../scenarios/berth.ts';
import { startHttps } from './https-service.ts';

const args = ['--host-resolver-rules=MAP *.test 127.0.0.1'];

for (const [title, settings] of [
  ['a wildcard', { BERTH_ACME_DNS: 'pebble' }],
  ['a certificate of its own', {}],
] as const)
  test(`an application and the dashboard are shown without a warning, with ${title}`, async (t) => {
    const service = await startHttps(t, settings);
    const host = await service.deploy();
    await until(
      'both are served',
      async () => (await service.metric('berth_certificates{state="served"}')) === 2 || undefined,
    );
    const { browser, close } = await startChromium(service.httpsPort, args, await service.pebble.root());
    t.after(close);
    const page = await browser.newPage();
    const shown = await until('the application is shown', async () => {
      const answer = await page.goto(`https://${host}:${service.httpsPort}/`).catch(() => undefined);
      return answer?.status() === 200 ? answer : undefined;
    });
    assert.match((await shown.securityDetails())!.issuer ?? '', /^Pebble Intermediate/);
    assert.match(await page.locator('body').innerText(), /^GET \//);
    const dashboard = (await page.goto(`https://berth.test:${service.httpsPort}/`))!;
    assert.equal(dashboard.status(), 200);
    await page.waitForSelector('.problems .valid');
  });
