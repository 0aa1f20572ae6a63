/** What the address of the simulator says: which phone is in hand. */
import { getRouteApi } from '@tanstack/react-router';

export interface SimulatorSearch {
  /** Its number. */
  readonly phone?: string;
}

export function searchOf({ phone }: Record<string, unknown>): SimulatorSearch {
  const number = typeof phone === 'string' || typeof phone === 'number' ? String(phone) : '';
  return number === '' ? {} : { phone: number.slice(0, 100) };
}

export const simulatorPath = '/simulator';
export const simulatorRoute = getRouteApi(simulatorPath);
