import { expect, test } from 'vitest';
import { recordedDns } from './recorded-dns.ts';

const written = `
; <<>> as dig prints it
care.example.\t\t3600\tIN\tTXT\t"v=spf1 ip4:192.0.2.25 " "-all"
Care.Example.  3600 IN TXT "another \\"one\\"; of TXT"
# by hand
bare.example TXT v=spf1  mx -all
bare.example MX 10 mx.bare.example.
mx.bare.example A 192.0.2.1
mx.bare.example AAAA 2001:db8::1
s1._domainkey.bare.example CNAME s1.keys.example.
s1.keys.example 60 in txt "v=DKIM1; p=A"
loop.example CNAME loop.example
`;

async function answers(name: string, type: string): Promise<unknown> {
  const dns = recordedDns(written);
  if (!dns.ok) throw new Error(dns.error);
  return dns.value(name, type).catch((error: { code: string }) => error.code);
}

test('[MAIL-3] Recorded DNS reads records as dig prints them, and as people write them', async () => {
  expect(await answers('care.example', 'TXT')).toEqual([
    ['v=spf1 ip4:192.0.2.25 ', '-all'],
    ['another "one"; of TXT'],
  ]);
  expect(await answers('BARE.example', 'TXT')).toEqual([['v=spf1  mx -all']]);
  expect(await answers('bare.example', 'MX')).toEqual([{ exchange: 'mx.bare.example', priority: 10 }]);
  expect(await answers('mx.bare.example', 'A')).toEqual(['192.0.2.1']);
  expect(await answers('mx.bare.example', 'AAAA')).toEqual(['2001:db8::1']);
});

test('[MAIL-3] Recorded DNS follows an alias to its target, and finds nothing for a loop of aliases', async () => {
  expect(await answers('s1._domainkey.bare.example', 'TXT')).toEqual([['v=DKIM1; p=A']]);
  expect(await answers('loop.example', 'TXT')).toBe('ENOTFOUND');
});

test('[MAIL-3] Recorded DNS finds nothing for a name or type that is not recorded', async () => {
  expect(await answers('care.example', 'A')).toBe('ENOTFOUND');
  expect(await answers('other.example', 'TXT')).toBe('ENOTFOUND');
});

test.each(['care.example', 'care.example TXT', 'care.example SOA x', 'a IN b TXT c', 'care.example MX mx.x'])(
  '[MAIL-3] Recorded DNS names a line that is no record: %s',
  (line) => {
    const dns = recordedDns(`\n${line}\n`);
    expect(dns).toMatchObject({
      ok: false,
      error: expect.stringContaining(`Line 2 is not a record: “${line}”`),
    });
  },
);
