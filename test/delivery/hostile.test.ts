/**
 * Attacks on the server. `npm run hostile` tries many more of them in every form, searches for worse ones and measures how
 * long other callers wait.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { untilAllEnded } from '../harness/delivery-books.ts';
import { otherAttacks } from '../hostile/connection-attacks.ts';
import { httpAttacks } from '../hostile/http-attacks.ts';
import { openSite, type Site } from '../hostile/site.ts';
import { usualWorkMs, workBeside } from '../hostile/work.ts';

/**
 * While a caller waits, the server may do at most as much work as this many calls cost; 5 to 40 is usual. Before these
 * attacks were bounded, it was thousands.
 */
const maxCalls = 200;
const maxRefused = 0.25;
const concurrency = 8;
/** Each of these once blocked every caller. */
const tried = [
  'the same with a wrong key in the header',
  'brackets',
  'JSON that ends too early',
  'scheduletime',
  'labels that overlap, in a long text for many recipients',
  'five hundred conversations',
];
const every = [...httpAttacks, ...otherAttacks];

describe('a customer while another does the worst', () => {
  let site: Site;
  let usualMs: number;
  beforeAll(async () => {
    site = await openSite('sqlite', { messages: 10_000, conversations: 500, contacts: 100, colleagues: 0 });
    usualMs = await usualWorkMs(site);
  });
  afterAll(() => site?.close());
  beforeEach(() => untilAllEnded(site.app, 180_000));

  test.each(tried)('[CONV-12] A customer is served while another attacks the server: %s', async (name) => {
    const attack = every.find((one) => one.name === name);
    if (attack === undefined) throw new Error(`there is no such attack: ${name}`);
    const { maxMs, refused, calls } = await workBeside(site, attack.worst(site), concurrency);
    expect(maxMs / usualMs).toBeLessThan(maxCalls);
    // A refused caller has to wait before trying again.
    expect(refused / calls).toBeLessThan(maxRefused);
    expect(site.app.stderr).not.toContain('"level":"error"');
  });
});
