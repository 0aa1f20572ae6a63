/** Tests how many DNS queries an e-mail may cause, and how their answers are used. */
import { describe, expect, test, vi } from 'vitest';
import { memoryDns } from '../../../test/harness/memory-dns.ts';
import { boundedDns, type DnsAnswer, isTemporary, textOf } from './bounded-dns.ts';

const withRecords = (records: DnsAnswer) => boundedDns(async () => records, 5_000);

async function errorOf(answer: Promise<unknown>): Promise<{ code?: string; spfResult?: { error: string } }> {
  return answer.then(
    () => ({}),
    (error) => error,
  );
}

describe('DNS for one e-mail', () => {
  test('[MAIL-3] DNS for one e-mail answers as the resolver does, and keeps the texts', async () => {
    const { resolve } = memoryDns({
      'care.example': [['v=spf1 ', '-all'], 'x'],
      'care.example A': ['192.0.2.1'],
    });
    const dns = boundedDns(resolve, 5_000);
    expect((await dns.resolve('care.example', 'TXT')).map(textOf)).toEqual(['v=spf1 -all', 'x']);
    expect(await dns.resolve('care.example', 'A')).toEqual(['192.0.2.1']);
    expect(dns.texts).toEqual(['v=spf1 -all', 'x']);
  });

  test('[MAIL-3] DNS for one e-mail leaves out texts that are too long or have too many macros', async () => {
    const few = `v=spf1 exists:${'%{i}.'.repeat(5)}example -all`;
    const records = [
      ['x'.repeat(2_048), 'x'.repeat(2_049)],
      [`v=spf1 exists:${'%{s}'.repeat(1_000)}`],
      [few],
    ];
    expect(await withRecords(records).resolve('care.example', 'TXT')).toEqual([[few]]);
  });

  test('[MAIL-3] An answer with thousands of records, and a query beyond the limit, count as a permanent DNS error', async () => {
    const long = await errorOf(
      withRecords(Array.from({ length: 1_001 }, () => '192.0.2.1')).resolve('a.example', 'A'),
    );
    expect(long).toMatchObject({ code: 'ENOTFOUND', spfResult: { error: 'permerror' } });
    const dns = withRecords(['192.0.2.1']);
    for (let asked = 0; asked < 120; asked += 1) await dns.resolve('a.example', 'A');
    expect(await errorOf(dns.resolve('a.example', 'A'))).toMatchObject({ code: 'ENOTFOUND' });
  });

  test.each(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY'])(
    '[MAIL-3] The DNS error %s counts as permanent',
    async (code) => {
      const dns = boundedDns(async () => Promise.reject(Object.assign(new Error(code), { code })), 5_000);
      const error = await errorOf(dns.resolve('a.example', 'A'));
      expect(error.code).toBe('ENOTFOUND');
      expect(isTemporary(error)).toBe(false);
    },
  );

  test.each(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'ECONNREFUSED', undefined])(
    '[MAIL-3] The DNS error %s counts as temporary',
    async (code) => {
      const dns = boundedDns(async () => Promise.reject(Object.assign(new Error('x'), { code })), 5_000);
      const error = await errorOf(dns.resolve('a.example', 'A'));
      expect(error.code).toBe(code);
      expect(isTemporary(error)).toBe(true);
    },
  );

  test('[MAIL-3] DNS for one e-mail waits no longer than its time limit, and asks nothing after it', async () => {
    const { resolve, asked } = memoryDns({ 'a.example A': 'hangs' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const dns = boundedDns(resolve, 50);
      const first = errorOf(dns.resolve('a.example', 'A'));
      await vi.advanceTimersByTimeAsync(50);
      expect(await first).toMatchObject({ code: 'ETIMEOUT' });
      expect(await errorOf(dns.resolve('b.example', 'A'))).toMatchObject({ code: 'ETIMEOUT' });
      expect(asked).toEqual(['a.example A']);
    } finally {
      vi.useRealTimers();
    }
  });
});
