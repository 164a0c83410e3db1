/** A shell in a pod on the page of its deployment: where it may be had, what is typed and read there, how it ends. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';
import { signUp } from './sign-up.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({
    BERTH_ENGINE: 'memory',
    BERTH_DISK_FREE: '1Mi',
    BERTH_CLIENT_LIMITS: 'sign-ins=1000/m',
  });
});
after(async () => await browser.close());

const yaml = `application:
  name: shelled
  pods:
    - { name: worker, image: "nginx:1", servicePorts: [80] }
    - { name: web, image: "nginx:1", path: /, servicePorts: [80], vars: { COLOUR: deep-blue } }
`;

for (const width of widthsHere('desk', 'phone')) {
  test(`once a deployment is claimed, its pods have a terminal, which ends when its page is left (${width})`, async () => {
    const visitor = await browser.visitor('terminal', width);
    const { page } = visitor;
    await visitor.deployText(yaml, 'worker');
    await visitor.reach('running');
    await page.keyboard.press('ControlOrMeta+k');
    const first = page.getByRole('option').first();
    assert.equal(await first.locator('span').first().innerText(), 'Open its address', 'what is done with this one');
    await visitor.look('palette');
    await page.keyboard.press('Escape');
    await visitor.openTab('Terminal');
    await page.waitForSelector('.notice >> text=Commands can be run in the pods of claimed deployments');
    await visitor.look('unclaimed');

    const address = page.url();
    await page.getByRole('button', { name: 'Claim to keep it' }).click();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await signUp(visitor, `terminal-${width}@example.com`);
    await page.getByRole('button', { name: 'Claim it' }).click();
    await page.waitForSelector('.lifetime >> text=Does not expire');
    await page.goto(address);

    const terminal = page.getByRole('region', { name: 'Terminal' });
    await terminal.getByLabel('Pod').selectOption('worker');
    await terminal.getByLabel('Pod').selectOption('web');
    assert.deepEqual(await terminal.getByLabel('Pod').locator('option').allInnerTexts(), ['web', 'worker']);
    await visitor.look('before');
    await terminal.getByRole('button', { name: 'Open a terminal' }).click();
    const rows = terminal.locator('.xterm-rows');
    await rows.locator('text=$').first().waitFor();
    const run = async (line: string, answer: string) => {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
      await rows.locator(`text=${answer}`).first().waitFor();
    };
    await run('env', 'COLOUR=deep-blue');
    await run('stty size', width === 'phone' ? '/^\\d+ [2-5]\\d$/' : '/^\\d+ 1\\d\\d$/');
    // The output of a program is text, even if it looks like HTML.
    await run('echo <b>bold</b>', '<b>bold</b>');
    await visitor.lookInBothThemes('open');
    await page.keyboard.press('F6');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'End it');
    await terminal.locator('.xterm-screen').click();
    await run('exit 3', 'exit 3');
    await terminal.getByRole('status').filter({ hasText: 'The shell in web has ended with exit code 3.' }).waitFor();
    await visitor.look('ended');

    await terminal.getByRole('button', { name: 'Open another one' }).click();
    await rows.locator('text=$').first().waitFor();
    await terminal.getByRole('button', { name: 'End it' }).click();
    await terminal.getByRole('status').filter({ hasText: 'You ended it.' }).waitFor();
    assert.ok(!visitor.addresses.some((requested) => /openTerminal\?/.test(requested)));
    await visitor.close();
  });
}
