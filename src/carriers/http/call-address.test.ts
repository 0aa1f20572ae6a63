import { expect, test } from 'vitest';
import { callbackUrls, callSecret, callsPath, readCallPath } from './call-address.ts';

const secret = callSecret('the secret of the server');

test.each([
  ['elks-2', 'elks-2'],
  ['Åre SMS', '~C3~85re~20SMS'],
  ['50% ~ 1/2', '50~25~20~7E~201~2F2'],
])('[HTTPC-3] The addresses of the carrier %s have its name as %s, and lead to it', (carrier, written) => {
  const { receiptUrl, incomingUrl } = callbackUrls('https://sms.example', secret, carrier);
  // Kannel replaces `%` and what follows it.
  expect(receiptUrl).toMatch(/^[^%]+$/);
  expect(receiptUrl.startsWith(`https://sms.example${callsPath}/${written}/`)).toBe(true);
  for (const [url, kind] of [
    [receiptUrl, 'receipts'],
    [incomingUrl, 'incoming'],
    [receiptUrl.replace(written, encodeURIComponent(carrier).replace('~', '%7E')), 'receipts'],
  ] as const)
    expect(readCallPath(secret, new URL(url).pathname)).toEqual({ carrier, kind });
  expect(readCallPath(secret, new URL(receiptUrl).pathname.replace(written, 'other'))).toBeUndefined();
});
