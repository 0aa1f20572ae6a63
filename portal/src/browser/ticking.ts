/** Renders a component again each second, for what counts down. */
import { useEffect, useState } from 'react';
import { serverTime } from './clock.ts';

/** Milliseconds since the epoch, by the server's clock. */
export function useTicking(): number {
  const [time, setTime] = useState(serverTime);
  useEffect(() => {
    const timer = window.setInterval(() => setTime(serverTime()), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return time;
}
