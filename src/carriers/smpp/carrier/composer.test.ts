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
