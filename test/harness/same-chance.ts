/** Gives properties the same input in every run unless CARILLON_SEED asks for another. */
import fc from 'fast-check';
import { chanceSeed } from './runs.ts';

fc.configureGlobal({ seed: chanceSeed });
