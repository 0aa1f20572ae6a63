/** All attacks that consist of a single call. */
import type { Attack } from './attack.ts';
import { customersBodies, unauthenticatedBodies } from './body-attacks.ts';
import { parameters } from './parameter-attacks.ts';
import { batches, readings } from './reading-attacks.ts';

export const httpAttacks: readonly Attack[] = [
  ...unauthenticatedBodies,
  ...customersBodies,
  ...parameters,
  ...readings,
  ...batches,
];
