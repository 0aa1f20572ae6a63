/**
 * Debounces a value: it is passed on once it has not changed for a moment, so that not every letter typed causes a request.
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
