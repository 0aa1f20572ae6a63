import { expect, test } from 'vitest';
import { messageIdsInSlices } from './info.ts';

const batch = { id: 1, conversation: '', code: 2, firstMessageId: 1_000_000_001 } as const;

test.each([0, 1, 4_999, 5_000, 5_001, 12_345])(
  '[BATCH-7] A list of %i message ids is the same, whatever slices it is written in',
  (expanded) => {
    const { messageids } = JSON.parse([...messageIdsInSlices({ ...batch, expanded })].join(''));
    expect(messageids).toEqual(Array.from({ length: expanded }, (_, place) => String(1_000_000_001 + place)));
  },
);

test('[BATCH-6] [BATCH-7] A list of 500,000 message ids is written in slices of at most 5,000', () => {
  const most = JSON.stringify(Array.from({ length: 5_000 }, () => String(batch.firstMessageId))).length;
  for (const slice of messageIdsInSlices({ ...batch, expanded: 500_000 }))
    expect(slice.length).toBeLessThanOrEqual(most);
});
