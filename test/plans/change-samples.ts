/** Sample inputs for the verbs of the journal of changes. */
import { holdReader } from '../../src/changes/held-reader.ts';
import * as journal from '../../src/changes/journal.ts';
import { listen, readTracked } from '../../src/changes/tracking.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const limit = 20;

export const changeSamples: readonly Sample[] = [
  sample(journal.enterReader, { name: 'new', place: 99_990, patienceMs: 1 }),
  sample(journal.leaveReader, 'reader2'),
  sample(holdReader, { name: 'reader2', nodeId: 1 }),
  sample(journal.readNewest, null),
  sample(journal.markJournal, null),
  sample(journal.listStillOpen, 1),
  sample(journal.readChanges, { name: 'reader2', to: 100_000, limit }),
  sample(journal.moveReader, { name: 'reader2', to: 50_001 }),
  sample(journal.trimChanges, { now, limit }, { now: now + 86_400_000, limit }),
  sample(listen, { companyId: big.companyId, listener: 'hints', until: now }),
  sample(readTracked, null),
];
