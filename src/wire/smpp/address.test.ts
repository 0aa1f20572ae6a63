/** Tests types of number and numbering plans by kind of sender, and names in the carrier's alphabet. */
import { describe, expect, test } from 'vitest';
import { defaultAddressForms, readAddress, recipientAddress, senderAddress } from './address.ts';
import { encodePdu, PduReader } from './pdu.ts';

describe('senders and recipients', () => {
  test('[DLV-4] A name, an international number without its plus and a short code each get their own TON and NPI', () => {
    expect(senderAddress('Carillon', defaultAddressForms)).toEqual({ ton: 5, npi: 0, address: 'Carillon' });
    expect(senderAddress('4790000001', defaultAddressForms)).toEqual({
      ton: 1,
      npi: 1,
      address: '4790000001',
    });
    expect(senderAddress('2262', defaultAddressForms)).toEqual({ ton: 3, npi: 0, address: '2262' });
    expect(recipientAddress('4790000001', defaultAddressForms)).toEqual({
      ton: 1,
      npi: 1,
      address: '4790000001',
    });
  });

  test('[DLV-4] The TON and NPI of senders and recipients are those that the carrier wants', () => {
    const forms = { ...defaultAddressForms, short: { ton: 0, npi: 1 }, shortCodeDigits: 4 };
    expect(senderAddress('2262', forms)).toEqual({ ton: 0, npi: 1, address: '2262' });
    expect(senderAddress('22626', forms)).toEqual({ ton: 1, npi: 1, address: '22626' });
    const recipient = { ton: 2, npi: 8 };
    expect(recipientAddress('4790000001', { ...forms, recipient })).toMatchObject(recipient);
  });
});

describe('names', () => {
  test('[DLV-4] Each character of a sender name in GSM-7 is the octet of its code', () => {
    const { address } = senderAddress('Bæ_Øl', defaultAddressForms);
    expect(Buffer.from(address, 'latin1').toString('hex')).toBe('421d110b6c');
    expect(readAddress(5, address, 'gsm7')).toBe('Bæ_Øl');
  });

  test('[DLV-4] A character of a sender name that Latin-1 or ASCII lacks loses its accent or becomes a question mark', () => {
    const latin1 = { ...defaultAddressForms, alphabet: 'latin1' } as const;
    const ascii = { ...defaultAddressForms, alphabet: 'ascii' } as const;
    expect(senderAddress('Bær Éñ Ω', latin1).address).toBe('Bær Éñ ?');
    expect(senderAddress('Bær Éñ Ω', ascii).address).toBe('B?r En ?');
    expect(readAddress(5, 'Bær', 'latin1')).toBe('Bær');
  });

  test('[DLV-4] An @ in a sender name, which is 0x00 in GSM-7, does not cut the name short', () => {
    const { ton, npi, address } = senderAddress('a@b 你', defaultAddressForms);
    const reader = new PduReader();
    reader.push(
      encodePdu({
        command: 'submitSm',
        sequence: 1,
        sourceAddrTon: ton,
        sourceAddrNpi: npi,
        sourceAddr: address,
      }),
    );
    expect(reader.next()).toMatchObject({ sourceAddrTon: 5, sourceAddrNpi: 0, sourceAddr: 'a?b ?' });
  });

  test('[INC-4] The sender number of an incoming SMS is left as it was written', () => {
    expect(readAddress(1, '+4790000001', 'gsm7')).toBe('+4790000001');
    expect(readAddress(0, '2262', 'gsm7')).toBe('2262');
  });
});
