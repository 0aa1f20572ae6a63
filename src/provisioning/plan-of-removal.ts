/** What a file asks for that removes one user, and nothing else. */
import { readPlan } from './file.ts';
import type { Plan } from './kind-list.ts';

export function planOfRemoval(company: string, username: string): Plan {
  const content = JSON.stringify({ companies: [{ name: company, users: [{ username, remove: true }] }] });
  const { plan, faults } = readPlan(content);
  if (plan === undefined || faults.length > 0)
    throw new Error(`no file could remove ${username}: ${faults.map(({ sentence }) => sentence).join('; ')}`);
  return plan;
}
