/** Claim: a call with many recipients costs little for each of them. */
import { type Figure, load, median, type Report, runWhenMain } from './measure.ts';
import { engines, startServer } from './server.ts';

const rounds = 3;
const seconds = 5;
const recipients = 1_000;
const connections = 4;

export async function manyRecipients(): Promise<Report> {
  const figures: Figure[] = [];
  const to = Array.from({ length: recipients }, (_, index) => String(46_701_000_000 + index * 100 + 99));
  const body = JSON.stringify({ to, message: 'The road is closed until 18:00. Take the ferry.' });
  for (const engine of engines) {
    const server = await startServer({ engine, roles: 'http' });
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const url = `${server.url}/restsms/svcrest/send`;
      const result = await load({ url, headers: { 'x-api-key': server.apiKey }, body, seconds, connections });
      if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
      rates.push(result.perSecond * recipients);
    }
    await server.close();
    figures.push({
      what: `${engine}: recipients of calls with ${recipients}, accepted durably`,
      value: median(rates),
      unit: 'recipients/s',
      claim: { atLeast: 40_000 },
    });
  }
  return { name: 'recipients', figures };
}

await runWhenMain(import.meta, manyRecipients);
