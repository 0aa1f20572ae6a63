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
/** One of each kind; the long form (`npm run hostile`) has more, in every form, and searches for worse. */
const tried = [
  'the same with a wrong key in the header',
  'millions of small tokens, credentials in the body',
  'brackets',
  'JSON that ends too early',
  'scheduletime',
  'a tag filter of values, each of which somebody has',
  'labels that overlap, in a long text for many recipients',
  'recipients of every form, mobile ones only',
  'texts and labels in a URL',
  'as many ids as may be asked for',
  'as many conversations as may be asked for',
  'a batch of long texts',
  'a client that leaves, again and again',
  'wrong passwords from many networks',
  'connections of one network that say hardly anything',
  'a line of tabs before the mark of a forwarded mail, through a trusted relay',
  'From fields of angle brackets',
];
const every = [...httpAttacks, ...otherAttacks];

eachEngine('a customer beside another who does the worst', (engine) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite(engine, { messages: 20_000, conversations: 500, contacts: 5_000 });
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
