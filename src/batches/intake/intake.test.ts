import { setMaxListeners } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { pause } from '../../../test/harness/awake.ts';
import { batchRequest } from '../../../test/harness/batch-bodies.ts';
import { BodyBlocks } from '../../http/body/body.ts';
import { Intake, Upload } from './intake.ts';
import type { BatchRequest } from './judge.ts';

const intake = new Intake();
const mortal = new Intake(new URL('../../../test/harness/mortal-intake.ts', import.meta.url));
afterAll(() => Promise.all([intake.stop(), mortal.stop()]));

function blocksOf(content: string | object): BodyBlocks {
  const blocks = new BodyBlocks();
  blocks.add(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)));
  return blocks;
}

const { signal: open } = new AbortController();
setMaxListeners(0, open);
const user = { companyId: 1, userId: 10 };

async function uploadOf(content: object, closed = open, by = intake): Promise<Upload> {
  const { batch } = await by.openJson(blocksOf(content), [], user, closed);
  if (batch instanceof Upload) return batch;
  throw new Error('the body has no list');
}

async function rowsOf(upload: Upload, request: Partial<BatchRequest> = {}): Promise<readonly unknown[]> {
  const { fault } = await upload.judge(batchRequest({ maxRecipients: 200_000, ...request }));
  if (fault !== undefined) throw new Error(fault.message);
  const rows: unknown[] = [];
  for (;;) {
    const finished = await upload.next();
    if ('end' in finished) return rows;
    rows.push(...(JSON.parse(finished.chunk.finished) as unknown[]));
  }
}

function batchOf(count: number): { readonly batch: readonly object[] } {
  return { batch: Array.from({ length: count }, (_, index) => ({ t: String(46_701_000_000 + index) })) };
}

describe('the intake thread', () => {
  test('[BATCH-6] The intake thread returns the fields asked for and keeps the recipient list', async () => {
    const body = { apikey: 'k', other: 1, ...batchOf(1), message: 'Hello' };
    const { batch, ...fields } = await intake.openJson(blocksOf(body), ['apikey', 'message'], user, open);
    expect(fields).toEqual({ apikey: 'k', message: 'Hello' });
    expect(await rowsOf(batch as Upload)).toEqual([['46701000000', 'Hello', 1, '', 1]]);
    expect(await intake.openJson(blocksOf(''), ['message'], user, open)).toEqual({});
    expect(await intake.openJson(blocksOf({ batch: { t: 1 } }), [], user, open)).toEqual({ batch: { t: 1 } });
  });

  test('[BATCH-1] The intake thread also accepts recipients as lines', async () => {
    const upload = await intake.openLines(blocksOf('46701740001;a\n46701740002;b'), user, open);
    expect(await rowsOf(upload)).toEqual([
      ['46701740001', 'a', 1, '', 1],
      ['46701740002', 'b', 1, '', 1],
    ]);
    const none = await intake.openLines(blocksOf(''), user, open);
    expect((await none.judge(batchRequest())).fault?.code).toBe('no_recipients');
  });

  test('[CONV-8] The intake thread says where a request body is broken', async () => {
    await expect(intake.openJson(blocksOf('{"batch":[1}'), [], user, open)).rejects.toMatchObject({
      code: 'bad_json',
    });
    const upload = await intake.openJson(blocksOf('{"batch":[{"t":tru}]}'), [], user, open);
    await expect((upload.batch as Upload).judge(batchRequest())).rejects.toMatchObject({
      code: 'bad_json',
      message: expect.stringContaining('line 1, column 16'),
    });
  });

  test('[BATCH-6] A small batch upload does not wait for a large one', async () => {
    const ended: string[] = [];
    const large = uploadOf(batchOf(100_000)).then(async (upload) => {
      const rows = await rowsOf(upload);
      ended.push('large');
      return rows.length;
    });
    await pause(20);
    await rowsOf(await uploadOf(batchOf(3)));
    ended.push('small');
    expect(await large).toBe(100_000);
    expect(ended).toEqual(['small', 'large']);
  });

  test('[BATCH-6] The intake thread drops an upload whose client has gone', async () => {
    const client = new AbortController();
    const upload = await uploadOf(batchOf(50_000), client.signal);
    const judging = upload.judge(batchRequest());
    client.abort();
    await expect(judging).rejects.toMatchObject({ code: 'request_timeout' });
    await expect(upload.next()).rejects.toMatchObject({ code: 'request_timeout' });
    await expect(uploadOf(batchOf(1), client.signal)).rejects.toMatchObject({ code: 'request_timeout' });
    expect((await rowsOf(await uploadOf(batchOf(2)))).length).toBe(2);
  });

  test('[BATCH-6] When the intake thread crashes, only its own uploads are lost, and the next upload starts it again', async () => {
    const held = await uploadOf(batchOf(1), open, mortal);
    const fault = {
      status: 503,
      message: expect.stringContaining('Nothing was sent'),
      cause: { message: expect.stringContaining('has ended') },
    };
    await expect(uploadOf({ batch: ['poison'] }, open, mortal)).rejects.toMatchObject(fault);
    await expect(held.judge(batchRequest())).rejects.toMatchObject(fault);
    expect(await rowsOf(await uploadOf(batchOf(2), open, mortal))).toHaveLength(2);
  });
});
