/**
 * Debounces a value: it is passed on once it has not changed for a moment, so that a request is not made for every
 * letter typed.
 */
import { useEffect, useState } from 'react';

const settledMs = 400;

export function useSettled(value: string, afterMs = settledMs): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), afterMs);
    return () => window.clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
