/** A second factor as a person sets it up, signs in with it, confirms with it, and takes it away again. */
import { generateSync } from 'otplib/functional';
import { expect, test } from 'vitest';
import { barriersOf, describePortal, overflowOf } from '../harness/browser.ts';

const codeOf = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });

describePortal('a second factor in the portal', (portal) => {
  test('[PORT-12] [PORT-5] Codes of an app are set up from a picture, asked for at the next sign-in, and removed', async () => {
    const { username, password } = portal.demo;
    const page = await portal.visit('/sessions', { width: 360 });
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const setup = page.getByRole('dialog', { name: 'Set up an app' });
    // The picture is shown under the page's policy, which allows nothing from elsewhere.
    await setup.locator('img').waitFor();
    expect(
      await setup
        .locator('img')
        .evaluate((image) => (image as unknown as { readonly naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(0);
    const secret = ((await setup.locator('code').textContent()) ?? '').replaceAll(' ', '');
    expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
    await setup.getByLabel('Code').fill('000000');
    await setup.getByRole('button', { name: 'Continue' }).click();
    await setup.getByText('This code is wrong').waitFor();
    await setup.getByLabel('Code').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    const once = page.getByRole('dialog', { name: 'Recovery codes' });
    const recovery = ((await once.locator('code').textContent()) ?? '').split('\n');
    expect(recovery).toHaveLength(10);
    await once.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('10 left').waitFor();
    expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);

    const door = await portal.visit('/', { as: 'nobody', width: 1280 });
    await door.getByLabel('User name').fill(username);
    await door.getByLabel('Password', { exact: true }).fill(password);
    await door.keyboard.press('Enter');
    await door.locator('input[autocomplete=one-time-code]:focus').fill('123456');
    await door.keyboard.press('Enter');
    await door.getByText('This code is wrong').waitFor();
    expect([await barriersOf(door), await overflowOf(door)]).toEqual([[], 0]);
    // The next code is taken early, and stays right if its time begins while it is on its way.
    await door.getByLabel('Code').fill(codeOf(secret, 1));
    await door.keyboard.press('Enter');
    await door.getByRole('navigation').first().waitFor();

    await page.getByRole('button', { name: 'Remove' }).click();
    const sure = page.getByRole('dialog', { name: 'Remove: Codes of an app?' });
    await sure.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Set up an app' }).waitFor();
  });

  test('[PORT-12] Whoever must have a second factor and has none is led to set one up, and goes on from there', async () => {
    const { app } = portal.demo;
    const nina = { username: 'nina', password: 'a password of nina' };
    const user = `{ username: ${nina.username}, password: ${nina.password}, roles: [send] }`;
    const applied = await app.apply(
      `companies: [{ name: Demand, language: sv, secondFactor: everyone, users: [${user}] }]`,
    );
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
    const page = await portal.visit('/', { as: 'nobody', width: 360, language: 'sv' });
    await page.getByLabel('Användarnamn').fill(nina.username);
    await page.getByLabel('Lösenord', { exact: true }).fill(nina.password);
    await page.keyboard.press('Enter');
    await page.getByText('Demand kräver det av dig').waitFor();
    expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Ställ in en app' }).click();
    const setup = page.getByRole('dialog', { name: 'Ställ in en app' });
    const secret = ((await setup.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await setup.getByLabel('Kod').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    const once = page.getByRole('dialog', { name: 'Återställningskoder' });
    await once.getByRole('button').last().click();
    await page.getByText('Demand kräver det av dig').waitFor({ state: 'detached' });
    await page.getByRole('navigation').first().waitFor();
  });
});
