import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type SecurityEventName, SecurityLog } from './security-log.ts';

const minuteMs = 60_000;

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const counts = new Map<SecurityEventName, number>();
  const write = (level: string) => (details: object, message: string) =>
    void lines.push({ level, ...details, msg: message });
  const log = new SecurityLog({ info: write('info'), warn: write('warn') }, (event) =>
    counts.set(event, (counts.get(event) ?? 0) + 1),
  );
  return { log, lines, counts };
}

describe('security events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('[RUN-4] Each security event has a log line with its own fields only', () => {
    const { log, lines } = openLog();
    log.record({ event: 'login_failed', username: 'alice', address: '192.0.2.1', reason: 'wrong_password' });
    log.record({ event: 'key_issued', username: 'alice', companyId: 1, object: 'app', path: undefined });
    expect(lines).toEqual([
      {
        level: 'warn',
        event: 'login_failed',
        username: 'alice',
        address: '192.0.2.1',
        reason: 'wrong_password',
        msg: 'security event',
      },
      {
        level: 'info',
        event: 'key_issued',
        username: 'alice',
        companyId: 1,
        object: 'app',
        msg: 'security event',
      },
    ]);
  });

  test('[RUN-4] A security event repeated within a minute is counted, and reported once', () => {
    const { log, lines, counts } = openLog();
    for (let time = 1; time <= 1_000; time++)
      log.record({ event: 'login_failed', username: 'alice', address: '192.0.2.1' });
    log.record({ event: 'login_failed', username: 'alice', address: '192.0.2.2' });
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(minuteMs);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({ username: 'alice', address: '192.0.2.1', repeats: 999 });
    expect(counts.get('login_failed')).toBe(1_001);
    log.record({ event: 'login_failed', username: 'alice', address: '192.0.2.1' });
    expect(lines).toHaveLength(4);
  });

  test('[RUN-4] A flood of security events from everywhere is a few lines, and hides no other kind of event', () => {
    const { log, lines } = openLog();
    for (let time = 1; time <= 100_000; time++) log.record({ event: 'login_failed', address: `${time}` });
    expect(lines).toHaveLength(30);
    log.record({ event: 'key_revoked', username: 'alice', object: 'app' });
    expect(lines.at(-1)).toMatchObject({ event: 'key_revoked', username: 'alice' });
    vi.advanceTimersByTime(minuteMs);
    expect(lines).toHaveLength(32);
    expect(lines.at(-1)).toMatchObject({ event: 'login_failed', others: 99_970 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[RUN-4] Security events that were only counted are reported at the end of the process', () => {
    const { log, lines } = openLog();
    log.record({ event: 'access_denied', path: '/x' });
    log.record({ event: 'access_denied', path: '/x' });
    log.flush();
    expect(lines.at(-1)).toMatchObject({ event: 'access_denied', path: '/x', repeats: 1 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[RUN-4] Texts in security events are bounded, and nothing in them can forge a line', () => {
    const { log, lines } = openLog();
    log.record({ event: 'login_failed', username: `a\n\u202eb${'x'.repeat(1_000)}` });
    const { username } = lines[0] as { username: string };
    expect(username.startsWith('a\\u000a\\u202ebx')).toBe(true);
    expect(username.length).toBeLessThan(230);
  });
});
