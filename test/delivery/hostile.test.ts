import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachEngine } from '../harness/engines.ts';
import { expectWithin } from '../harness/on-time.ts';
import { otherAttacks } from '../hostile/connection-attacks.ts';
import { httpAttacks } from '../hostile/http-attacks.ts';
import { openSite, type Site } from '../hostile/site.ts';
import { tryAttack } from '../hostile/trial.ts';

/**
 * What these attacks took before their work was bounded were seconds and minutes. That nobody waits longer than 250 ms nor
 * is refused is for a machine that does nothing else, and for the long form to tell.
 */
const limitMs = 1_000;
const mostRefused = 0.25;
const most = { form: 'worst', atOnce: 8 } as const;
/** Each stopped everybody once; the long form (`npm run hostile`) has many more, in every form, and searches for worse. */
const tried = [
  'the same with a wrong key in the header',
  'brackets',
  'JSON that ends too early',
  'scheduletime',
  'labels that overlap, in a long text for many recipients',
  'five hundred conversations',
];
const every = [...httpAttacks, ...otherAttacks];

eachEngine('a customer beside another who does the worst', (engine) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite(engine, { messages: 10_000, conversations: 500, contacts: 100 });
  });
  afterAll(() => site?.close());

  test.each(tried)('[CONV-12] waits for nobody: %s', async (name) => {
    const attack = every.find((one) => one.name === name);
    if (attack === undefined) throw new Error(`there is no such attack: ${name}`);
    await expectWithin(limitMs, async () => {
      const { longestMs, refused, calls } = await tryAttack(site, attack, most, 1);
      const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0);
      // Who is refused has to wait for the next try.
      return refusals / calls < mostRefused ? longestMs : limitMs;
    });
    expect(site.app.stderr).not.toContain('"level":"error"');
  });
});
