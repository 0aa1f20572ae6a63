/**
 * Measures the worst that clients can do, and how long a customer of another company waits meanwhile: one table per engine.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/harness/postgres.ts';
import type { Attack } from '../test/hostile/attack.ts';
import { otherAttacks } from '../test/hostile/connection-attacks.ts';
import { httpAttacks } from '../test/hostile/http-attacks.ts';
import { searchWorst } from '../test/hostile/search.ts';
import { openSite, type Site } from '../test/hostile/site.ts';
import { manners, type Outcome, tryAttack } from '../test/hostile/trial.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'both' },
    seconds: { type: 'string', default: '3' },
    search: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string', default: '' },
    messages: { type: 'string', default: '50000' },
    contacts: { type: 'string', default: '100000' },
  },
});
const seconds = Number(values.seconds);
const limitMs = 250;
const stock = {
  messages: Number(values.messages),
  conversations: 500,
  contacts: Number(values.contacts),
  colleagues: 100,
};
const engines = (['sqlite', 'postgres'] as const).filter(
  (engine) => values.engine === 'both' || values.engine === engine,
);

let exceeded = 0;

async function attackAll(engine: string, site: Site): Promise<void> {
  console.log(`\n${engine}: longest wait of another customer, limit ${limitMs} ms\n`);
  console.log('| attack | by | cheapest | worst | eight cheapest | eight worst | answers |');
  console.log('| --- | --- | ---: | ---: | ---: | ---: | --- |');
  const peace = await tryAttack(site, peaceful, manners[0] as (typeof manners)[0], seconds);
  console.log(`| (no attack) | | ${waitOf(peace)} | | | | |`);
  for (const attack of [...httpAttacks, ...otherAttacks]) {
    if (attack.name.includes(values.only)) await attackIn(site, attack);
  }
  if (Number(values.search) > 0) {
    const found = await searchWorst(site, { seconds: Number(values.search), seed: Number(values.seed) });
    console.log(`search of --seed ${values.seed}: ${found.tried} requests`);
    for (const attack of found.attacks) await attackIn(site, attack);
  }
}

const peaceful: Attack = {
  name: 'peace',
  by: 'stranger',
  cheapest: () => () => new Promise((resolve) => setTimeout(() => resolve('peace'), 100)),
  worst: () => () => Promise.resolve(''),
};

async function attackIn(site: Site, attack: Attack): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const manner of manners) {
    const outcome = await tryAttack(site, attack, manner, seconds);
    outcomes.push(outcome);
    if (site.app.pid === undefined)
      throw new Error(`the server has ended:\n${site.app.stderr.slice(-4_000)}`);
  }
  if (outcomes.some(isTooLong)) exceeded += 1;
  const answers = outcomes.map((outcome) => counted(outcome.answers)).join('; ');
  console.log(`| ${attack.name} | ${attack.by} | ${outcomes.map(waitOf).join(' | ')} | ${answers} |`);
}

function isTooLong({ longestMs, refused }: Outcome): boolean {
  return longestMs > limitMs || Object.keys(refused).length > 0;
}

function waitOf(outcome: Outcome): string {
  const refused = Object.keys(outcome.refused).length === 0 ? '' : ` (refused: ${counted(outcome.refused)})`;
  const text = `${Math.round(outcome.longestMs)} ms${refused}`;
  return isTooLong(outcome) ? `**${text}**` : text;
}

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');
}

for (const engine of engines) {
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  // The site gets the database by its address, because no test run provides one here.
  const site = await openSite('sqlite', stock, postgres === undefined ? {} : { DATABASE_URL: postgres.url });
  try {
    await attackAll(engine, site);
  } finally {
    await site.close();
    await postgres?.close();
  }
}
console.log(
  exceeded === 0
    ? 'Nobody waited longer than the limit.'
    : `${exceeded} attacks made others wait longer than the limit.`,
);
process.exit(exceeded === 0 ? 0 : 1);
