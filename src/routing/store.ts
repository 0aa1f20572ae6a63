/** The routes and numbers that the operator has provisioned. */
import { listedSendersOfAll } from '../accounts/company-records.ts';
import { namesWithin } from '../accounts/user-records.ts';
import { readVerb } from '../storage/verb.ts';
import { readAllNumbers, readNumberOwners } from './number-records.ts';
import { readRoutes } from './route-records.ts';
import type { OwnedSenders } from './sender-owners.ts';

export const listRoutes = readVerb('routing.listRoutes', (reading, _: null) => readRoutes(reading));

/** The names of those to which a route leads for any user of the company. */
export const listCarriersOfCompany = readVerb(
  'routing.listCarriersOfCompany',
  async (reading, companyId: number): Promise<ReadonlySet<string>> => {
    const routes = await readRoutes(reading);
    const named = routes.flatMap(({ users = [] }) => users);
    const own = await namesWithin(reading, companyId, named);
    const theirs = routes.filter(({ users }) => users?.some((user) => own.has(user)) ?? true);
    return new Set(theirs.flatMap(({ carriers }) => carriers));
  },
);

export const listNumbers = readVerb('routing.listNumbers', (reading, _: null) => readAllNumbers(reading));

/** All of them: the operator's numbers, and lists of a few names. */
export const listOwnedSenders = readVerb(
  'routing.listOwnedSenders',
  async (reading, _: null): Promise<OwnedSenders> => ({
    numbers: await readNumberOwners(reading),
    listed: await listedSendersOfAll(reading),
  }),
);
