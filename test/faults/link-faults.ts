/** All faults of links that the trial knows. */
import { answerFaults } from './answer-faults.ts';
import { bindFaults } from './bind-faults.ts';
import { httpFaults } from './http-faults.ts';
import { lastingFaults } from './lasting-faults.ts';
import type { LinkFault } from './link-fault.ts';
import { receiptFaults } from './receipt-faults.ts';
import { streamFaults } from './stream-faults.ts';

export const linkFaults: readonly LinkFault[] = [
  ...bindFaults,
  ...answerFaults,
  ...streamFaults,
  ...receiptFaults,
  ...lastingFaults,
  ...httpFaults,
];
