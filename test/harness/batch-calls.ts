/** What API tests of batches need: paths, and waiting until a batch is done. */
import type { Answer, ApiClient } from './api-client.ts';
import type { WholeApp } from './app.ts';
import { query, type StoredMessage, storedMessages, untilLook } from './messaging.ts';

export const jsonPath = '/restsms/svcrest/batchsend/json';
export const listPath = '/restsms/svcrest/batchsend/list';
export const infoPath = '/restsms/svcrest/batchinfo';

/** A batch recipient to which the standard simulator delivers. */
export const to = (index: number) => `46731${String(index).padStart(5, '0')}20`;

/** The longest wait without any progress; how long a whole batch takes depends on the machine. */
const patienceMs = 40_000;

/** Resolves with the batch's code once it is final. */
export async function finalCode(client: ApiClient, sent: Answer): Promise<number> {
  if (sent.status !== 200) throw new Error(`expected 200, got ${sent.status}: ${sent.text}`);
  const isFinal = ({ batchstatuscode }: { readonly batchstatuscode: number }) =>
    ![1, 2, 3].includes(batchstatuscode);
  const body = await shownWhen(() => client.get(infoPath, { BI: sent.body.batchid }), isFinal);
  return body.batchstatuscode;
}

/** The messages created from a batch, in order. */
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

/** The number of batches in the store in any state, including those still being taken in. */
export async function storedBatches(app: WholeApp): Promise<number> {
  const [row] = await query(app, 'SELECT count(*) AS batches FROM batches');
  return Number(row?.batches);
}

/** Creates a batch with one message that the simulator fails, and returns its id. */
export async function failedBatch(client: ApiClient): Promise<string> {
  const sent = await client.post('/api/v1/batches', { message: 'Hello', batch: [{ t: '46701740606' }] });
  const id: string = sent.body.batchid;
  await batchBecomes(client, id, ({ totals }) => totals.failed === 1);
  return id;
}

/** Resolves with the batch as the management API shows it, once it is as expected. */
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
  for (let attempt = 0; ; attempt++) {
    const { body, text } = await look();
    if (isExpected(body)) return body;
    if (text !== latest) deadline = Date.now() + patienceMs;
    latest = text;
    if (Date.now() > deadline) throw new Error(`nothing has changed for ${patienceMs} ms: ${text}`);
    await untilLook(attempt);
  }
}
