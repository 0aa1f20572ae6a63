import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { Sealing } from '../foundation/sealing.ts';
import type { Store } from '../storage/store.ts';
import { applyFile, provisionAtStart } from './apply.ts';
import { readProvisioningFile } from './file.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-provisioning-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function fileWith(content: string | Buffer): string {
  const path = join(folder, `${++made}.yaml`);
  writeFileSync(path, content);
  return path;
}

const company = (quotaParts: number) =>
  `companies: [{ name: A, quotaParts: ${quotaParts}, users: [{ username: alice }] }]\n`;

eachStore('provisioning at a start', (engine) => {
  const start = (store: Store, path: string) =>
    provisionAtStart({ store, clock: systemClock, sealing: new Sealing('of a test') }, path, () => undefined);
  const apply = (store: Store, path: string) =>
    applyFile({ store, clock: systemClock, sealing: new Sealing('of a test') }, readProvisioningFile(path));
  const quotaIn = async (store: Store) =>
    (await store.read(findAccountByUsername, 'alice'))?.company.quotaParts;

  test('[RUN-3] A start applies the provisioning file once, so that later changes by other means survive a restart', async () => {
    const { store } = await engine.openFreshStore();
    const path = fileWith(company(1));
    expect(await start(store, path)).toHaveLength(2);
    await apply(store, fileWith(company(2)));
    expect(await start(store, path)).toEqual([]);
    expect(await quotaIn(store)).toBe(2);
    await apply(store, fileWith('companies: [{ name: A, remove: true }]'));
    expect(await start(store, path)).toEqual([]);
    expect(await quotaIn(store)).toBeUndefined();
  });

  test('[RUN-3] A start applies the provisioning file again once its content differs', async () => {
    const { store } = await engine.openFreshStore();
    const path = fileWith(company(1));
    await start(store, path);
    writeFileSync(path, company(3));
    expect(await start(store, path)).toEqual(['~ company A: quotaParts 1 -> 3']);
    writeFileSync(path, company(1));
    expect(await start(store, path)).toEqual(['~ company A: quotaParts 3 -> 1']);
  });

  test('[RUN-3] A start counts a provisioning file that was applied by hand as applied', async () => {
    const { store } = await engine.openFreshStore();
    const path = fileWith(company(1));
    await apply(store, path);
    await apply(store, fileWith(company(2)));
    expect(await start(store, path)).toEqual([]);
    expect(await quotaIn(store)).toBe(2);
  });

  test('[RUN-3] [E2S-1] A start reports how many e-mail senders a provisioning file changes, but no address', async () => {
    const { store } = await engine.openFreshStore();
    const file = (entries: string, others = '') =>
      fileWith(`companies:
  - name: Care
    allowedDomainEndings: [.care.example]
    users: [{ username: alice, roles: [send] }]
    emailSenders: [${entries}]${others}`);
    const entry = (name: string, more = '') => `{ email: ${name}@a.care.example, payinguser: alice${more} }`;
    expect((await start(store, file([1, 2, 3].map((n) => entry(`a${n}`)).join(', ')))).at(-1)).toBe(
      '~ e-mail senders of Care: 3 created',
    );
    const taxi = `
  - name: Taxi
    allowedDomainEndings: [.taxi.example]
    users: [{ username: tom, roles: [send] }]
    emailSenders: [{ email: a@b.taxi.example, payinguser: tom }]`;
    const edited = [entry('a1', ', blocked: true'), entry('a2', ', remove: true'), entry('a4'), entry('a5')];
    const lines = await start(store, file(edited.join(', '), taxi));
    expect(lines.slice(-2)).toEqual([
      '~ e-mail senders of Care: 2 created, 1 changed, 1 removed',
      '~ e-mail senders of Taxi: 1 created',
    ]);
    expect(lines.join()).not.toContain('@');
  });

  test('[RUN-3] Several nodes that start at once apply the provisioning file once', async () => {
    const fresh = await engine.openFreshStore();
    const path = fileWith(company(1));
    const nodes = [fresh.store, await fresh.openAnother(), await fresh.openAnother()];
    const linesOfNodes = await Promise.all(nodes.map((store) => start(store, path)));
    expect(linesOfNodes.map((lines) => lines.length).sort()).toEqual([0, 0, 2]);
  });

  test('[RUN-3] A provisioning file with faults stops the start, and each fault is reported', async () => {
    const { store } = await engine.openFreshStore();
    const path = fileWith('companies: [{ nam: A }]\nroutes: [{ prefix: "", carriers: [sim] }]\n');
    const error = await start(store, path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    const [head, ...faults] = (error as StartError).message.split('\n');
    expect(head).toContain('CARILLON_PROVISION');
    expect(head).toContain(path);
    expect(faults).toEqual([
      'companies[0] (line 1, column 13): needs a key "name"',
      'companies[0].nam (line 1, column 15): unknown key; did you mean "name"?',
      'routes[0].carriers (line 2, column 34): there is no carrier "sim"',
    ]);
  });
});

test('[RUN-3] A provisioning file that is absent or not text is refused with its name', () => {
  expect(() => readProvisioningFile(join(folder, 'absent.yaml'))).toThrow(
    /absent\.yaml cannot be read: ENOENT/,
  );
  expect(() => readProvisioningFile(folder)).toThrow(/cannot be read: EISDIR/);
  const latin1 = fileWith(Buffer.from('companies: [{ name: Ö }]', 'latin1'));
  expect(() => readProvisioningFile(latin1)).toThrow(/is not UTF-8 text/);
});
