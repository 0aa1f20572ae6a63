/** The routes and numbers that the operator has provisioned. */
import { readVerb } from '../storage/verb.ts';
import { readAllNumbers } from './number-records.ts';
import { readRoutes } from './route-records.ts';

export const listRoutes = readVerb('routing.listRoutes', (reading, _: null) => readRoutes(reading));

export const listNumbers = readVerb('routing.listNumbers', (reading, _: null) => readAllNumbers(reading));
