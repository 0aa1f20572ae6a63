import { expect, test } from 'vitest';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import { smppSettingsFor } from '../../../../test/carriers/smpp-setup.ts';
import type { OutgoingPart } from '../../carrier.ts';
import { Composer } from './composer.ts';

const [first, second] = messages(1, { parts: 2 }).map((part) => ({ ...part, reference: 0xabcd })) as [
  OutgoingPart,
  OutgoingPart,
];

test('[DLV-4] Parts have the reference of their message, of which a user data header holds the low octet', () => {
  const composer = new Composer(smppSettingsFor(1, { concatenation: 'udh' }));
  for (const part of [first, second, first]) {
    const { shortMessage } = composer.compose(part, 1, 0);
    expect(shortMessage?.subarray(0, 6).toString('hex')).toBe(`050003cd020${part.part}`);
  }
});

test('[DLV-4] The whole reference of a message is in sar_msg_ref_num', () => {
  const composer = new Composer(smppSettingsFor(1, { concatenation: 'sar' }));
  expect(composer.compose(second, 1, 0).tlvs).toEqual({
    sarMsgRefNum: 0xabcd,
    sarTotalSegments: 2,
    sarSegmentSeqnum: 2,
  });
});

test('[ESME-2] A part of a text that its sender has split keeps its own reference and place', () => {
  const [whole] = messages(1) as [OutgoingPart];
  const own = { ...whole, concatenation: { reference: 0x1234, part: 2, parts: 3 } };
  const { esmClass, shortMessage } = new Composer(smppSettingsFor(1)).compose(own, 1, 0);
  expect([esmClass, shortMessage?.subarray(0, 7).toString('hex')]).toEqual([0x40, '06080412340302']);
  const sar = new Composer(smppSettingsFor(1, { concatenation: 'sar' })).compose(own, 1, 0);
  expect(sar).toMatchObject({
    esmClass: 0,
    tlvs: { sarMsgRefNum: 0x1234, sarTotalSegments: 3, sarSegmentSeqnum: 2 },
  });
});
