/** Sample inputs for the verbs of acknowledgements that wait for sources of alerts. */
import * as acknowledgements from '../../src/alerts/acknowledgement-store.ts';
import { type Sample, sample } from './sample.ts';
import { now } from './stock.ts';

const claim = { now, until: now + 60_000, limit: 20 };
const outcome = { id: 20, now, dueAt: now + 60_000, result: null, reason: null };

export const acknowledgementSamples: readonly Sample[] = [
  sample(acknowledgements.nextAcknowledgementAt, null),
  sample(
    acknowledgements.claimAcknowledgements,
    { ...claim, busy: [] },
    { ...claim, busy: [1, 2, 3] },
    { ...claim, now: 1, busy: [] },
  ),
  sample(
    acknowledgements.recordAcknowledgement,
    { ...outcome, state: 'done', result: 'made', putOff: [] },
    { ...outcome, state: 'waiting', reason: 'away', putOff: [21, 22, 23] },
  ),
];
