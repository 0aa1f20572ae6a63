/** Verbs that do what an incoming SMS does to opt-outs. */
import { keepNearMiss, type NearMiss } from '../../src/opt-outs/near-miss.ts';
import {
  type GivenOptOut,
  keepOptOuts,
  type OptOutCategory,
  removeOptOutsOf,
} from '../../src/opt-outs/opt-out.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

export const keepOptOutsOfSms = singleWriteVerb(
  'test.keepOptOuts',
  (
    transaction,
    of: { readonly companyId: number; readonly given: readonly GivenOptOut[]; readonly secret: string },
  ) => keepOptOuts(transaction, of.companyId, of.given, of.secret),
);

export const removeOptOuts = singleWriteVerb(
  'test.removeOptOuts',
  (
    transaction,
    of: {
      readonly companyId: number;
      readonly phone: string;
      readonly category?: OptOutCategory;
      readonly secret: string;
    },
  ) => removeOptOutsOf(transaction, of.companyId, of, of.secret),
);

export const putNearMiss = singleWriteVerb(
  'test.putNearMiss',
  async (
    transaction,
    nearMiss: Pick<NearMiss, 'companyId' | 'incomingId' | 'phone' | 'number' | 'text' | 'at'>,
  ) => {
    await keepNearMiss(transaction, nearMiss);
    return null;
  },
);
