import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../foundation/errors.ts';
import { loginFault } from './server.ts';

describe('logins over SMTP that fail', () => {
  test('[AUTH-6] A failed SMTP login says whether a retry may succeed, and a flood of them does not fill the log', () => {
    const logged: unknown[] = [];
    const log = { error: (details: unknown) => void logged.push(details) };
    const codeFor = (error: unknown) => loginFault(error, log as never).code;
    expect(codeFor(new ServiceError('unauthorised', 'no'))).toBe(535);
    expect(codeFor(new ServiceError('role_missing', 'no'))).toBe(535);
    expect(codeFor(new ServiceError('too_many_attempts', 'later'))).toBe(454);
    expect(codeFor(new ServiceError('overloaded', 'later'))).toBe(454);
    expect(logged).toEqual([]);
    expect(codeFor(new ServiceError('store_unavailable', 'later'))).toBe(454);
    expect(codeFor(new Error('a fault of ours'))).toBe(454);
    expect(logged).toHaveLength(2);
  });
});
