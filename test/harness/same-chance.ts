/** Properties get the same inputs in each run, unless CARILLON_SEED asks for others. */
import fc from 'fast-check';
import { chanceSeed } from './runs.ts';

fc.configureGlobal({ seed: chanceSeed });
