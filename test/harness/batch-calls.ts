/** What API tests of batches need: their paths, and patience until a batch is done. */
import type { Answer, ApiClient } from './api-client.ts';
import type { WholeApp } from './app.ts';
import { query, type StoredMessage, storedMessages, untilLook } from './messaging.ts';

export const jsonPath = '/restsms/svcrest/batchsend/json';
export const listPath = '/restsms/svcrest/batchsend/list';
export const infoPath = '/restsms/svcrest/batchinfo';

/** A recipient of a batch that the standard simulator delivers to. */
export const to = (index: number) => `46731${String(index).padStart(5, '0')}20`;

/** Without any progress: how long a batch takes as a whole is a matter of the machine. */
const patienceMs = 40_000;

/** Resolves with the code of the batch when it is final. */
export async function finalCode(client: ApiClient, sent: Answer): Promise<number> {
  if (sent.status !== 200) throw new Error(`expected 200, got ${sent.status}: ${sent.text}`);
  const isFinal = ({ batchstatuscode }: { readonly batchstatuscode: number }) =>
    ![1, 2, 3].includes(batchstatuscode);
  const body = await shownWhen(() => client.get(infoPath, { BI: sent.body.batchid }), isFinal);
  return body.batchstatuscode;
}

/** The messages that a batch became, in order. */
export async function messagesOf(
  app: WholeApp,
  client: ApiClient,
  send: () => Promise<Answer>,
): Promise<readonly StoredMessage[]> {
  const sent = await send();
  const code = await finalCode(client, sent);
  if (code !== 0) throw new Error(`the batch ended with code ${code}`);
  const rows = await query(app, `SELECT id FROM messages WHERE batch_id = ${Number(sent.body.batchid)}`);
  const ids = new Set(rows.map(({ id }) => String(id)));
  return (await storedMessages(app)).filter(({ id }) => ids.has(id));
}

/** Batches of any state in the store, those on their way in too. */
export async function storedBatches(app: WholeApp): Promise<number> {
  const [row] = await query(app, 'SELECT count(*) AS batches FROM batches');
  return Number(row?.batches);
}

/** The id of a batch with one message, which the simulator has failed. */
export async function failedBatch(client: ApiClient): Promise<string> {
  const sent = await client.post('/api/v1/batches', { message: 'Hello', batch: [{ t: '46701740606' }] });
  const id: string = sent.body.batchid;
  await batchBecomes(client, id, ({ totals }) => totals.failed === 1);
  return id;
}

/** Resolves with what the management API shows of the batch when that is as expected. */
export async function batchBecomes(
  client: ApiClient,
  id: string,
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer.
  isExpected: (shown: any) => boolean,
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer.
): Promise<any> {
  return shownWhen(() => client.get(`/api/v1/batches/${id}`), isExpected);
}

async function shownWhen(
  look: () => Promise<Answer>,
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer.
  isExpected: (shown: any) => boolean,
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer.
): Promise<any> {
  let deadline = Date.now() + patienceMs;
  let latest = '';
  for (let looks = 0; ; looks++) {
    const { body, text } = await look();
    if (isExpected(body)) return body;
    if (text !== latest) deadline = Date.now() + patienceMs;
    latest = text;
    if (Date.now() > deadline) throw new Error(`nothing has changed for ${patienceMs} ms: ${text}`);
    await untilLook(looks);
  }
}
