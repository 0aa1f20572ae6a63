/** The routes that the operator has provisioned. */
import { readVerb } from '../storage/verb.ts';
import { readRoutes } from './route-records.ts';

export const listRoutes = readVerb('routing.listRoutes', (reading, _: null) => readRoutes(reading));
