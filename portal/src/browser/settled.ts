/** A value once it has stood still for a moment: who types is not asked about each letter. */
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
