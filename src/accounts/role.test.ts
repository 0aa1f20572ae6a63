import { expect, test } from 'vitest';
import { isRole, type Role, requireRole, roles } from './role.ts';

function holder(...held: Role[]) {
  return { username: 'alice', roles: new Set(held) };
}

test('[AUTH-9] A missing role is refused with 403 and a message that names the role', () => {
  for (const role of roles) {
    expect(() => requireRole(holder(role), role)).not.toThrow();
    const others = roles.filter((other) => other !== role);
    expect(() => requireRole(holder(...others), role)).toThrow(
      expect.objectContaining({
        code: 'role_missing',
        status: 403,
        message: expect.stringContaining(`requires the role ${role},`),
      }),
    );
  }
});

test('[AUTH-9] Where several roles qualify, any one of them is enough, and a user with none of them is refused', () => {
  expect(() => requireRole(holder('emailAdmin'), 'companyAdmin', 'emailAdmin')).not.toThrow();
  expect(() => requireRole(holder('companyAdmin'), 'companyAdmin', 'emailAdmin')).not.toThrow();
  expect(() => requireRole(holder('send', 'jobs'), 'companyAdmin', 'emailAdmin')).toThrow(
    /companyAdmin or emailAdmin/,
  );
});

test('[AUTH-9] Roles are recognised by their exact names', () => {
  expect(roles.every(isRole)).toBe(true);
  expect(['admin', '', 'Send', null, 1].some(isRole)).toBe(false);
});
