/** `npm run hostile` tries many more attacks, in every form, searches for worse, and measures how long others wait. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { untilAllEnded } from '../harness/delivery-books.ts';
import { otherAttacks } from '../hostile/connection-attacks.ts';
import { httpAttacks } from '../hostile/http-attacks.ts';
import { openSite, type Site } from '../hostile/site.ts';
import { usualWorkMs, workBeside } from '../hostile/work.ts';

/**
 * Work of so many calls, at the most, may be done while one waits: 5 to 40 are usual. Before these attacks were bounded, it
 * was that of thousands.
 */
const mostCalls = 200;
const mostRefused = 0.25;
const atOnce = 8;
/** Each stopped everybody once. */
const tried = [
  'the same with a wrong key in the header',
  'brackets',
  'JSON that ends too early',
  'scheduletime',
  'labels that overlap, in a long text for many recipients',
  'five hundred conversations',
];
const every = [...httpAttacks, ...otherAttacks];

describe('a customer beside another who does the worst', () => {
  let site: Site;
  let usualMs: number;
  beforeAll(async () => {
    site = await openSite('sqlite', { messages: 10_000, conversations: 500, contacts: 100, colleagues: 0 });
    usualMs = await usualWorkMs(site);
  });
  afterAll(() => site?.close());
  beforeEach(() => untilAllEnded(site.app, 180_000));

  test.each(tried)('[CONV-12] waits for nobody: %s', async (name) => {
    const attack = every.find((one) => one.name === name);
    if (attack === undefined) throw new Error(`there is no such attack: ${name}`);
    const { mostMs, refused, calls } = await workBeside(site, attack.worst(site), atOnce);
    expect(mostMs / usualMs).toBeLessThan(mostCalls);
    // Who is refused has to wait for the next try.
    expect(refused / calls).toBeLessThan(mostRefused);
    expect(site.app.stderr).not.toContain('"level":"error"');
  });
});
