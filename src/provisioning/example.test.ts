import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { Passwords } from '../accounts/password.ts';
import { systemClock } from '../foundation/clock.ts';
import { Sealing } from '../foundation/sealing.ts';
import { applyFile } from './apply.ts';
import { readProvisioningFile } from './file.ts';

function docs(name: string): string {
  return fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
}

eachStore('the example of the documentation', (engine) => {
  test('[RUN-3] The example provisioning file in the documentation applies as it stands', async () => {
    const { store } = await engine.openFreshStore();
    const file = readProvisioningFile(docs('examples/provisioning.yaml'));
    const surroundings = { store, clock: systemClock, sealing: new Sealing('of a test') };
    const first = await applyFile(surroundings, file);
    expect(first).toMatchObject({ kind: 'applied' });
    expect(first.kind === 'applied' && first.lines.length).toBe(19);
    expect(await applyFile(surroundings, file)).toEqual({ kind: 'applied', lines: [], warnings: [] });
    const reports = await store.read(findAccountByUsername, 'reports');
    expect(await new Passwords().matches('change-me-reports', reports?.user.passwordHash)).toBe(true);
  });
});

test('[RUN-3] The documentation shows the example provisioning file as it is', () => {
  const example = readFileSync(docs('examples/provisioning.yaml'), 'utf8');
  expect(readFileSync(docs('provisioning.md'), 'utf8')).toContain(`\`\`\`yaml\n${example}\`\`\`\n`);
});

test('[RUN-1] The documentation lists every variable that the configuration reads', () => {
  const source = readFileSync(fileURLToPath(new URL('../config/config.ts', import.meta.url)), 'utf8');
  const names = new Set(source.match(/\b(CARILLON_[A-Z_]+|DATABASE_URL)\b/g));
  expect(names.size).toBeGreaterThan(15);
  const settings = readFileSync(docs('configuration.md'), 'utf8');
  expect(
    [...names].filter((name) => !settings.includes(`| \`${name}\``) && !settings.includes(`, \`${name}\` |`)),
  ).toEqual([]);
});
