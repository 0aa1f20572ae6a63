/** `carillon carriers`: how the carriers are at each node, and how much waits for them. */
import { Command } from 'commander';
import type { CarrierRecord } from '../carriers/carrier-record.ts';
import { systemClock } from '../foundation/clock.ts';
import type { KnownState } from '../messages/carrier-state-store.ts';
import { instant, printTable } from './table.ts';
import { print } from './terminal.ts';

export function carriersCommand(): Command {
  return new Command('carriers')
    .description('show how the carriers are at each node, and how many messages wait for them')
    .action(show);
}

async function show(): Promise<void> {
  const [{ readConfig }, { withStore }, { listCarriers }, states] = await Promise.all([
    import('../config.ts'),
    import('../open-store.ts'),
    import('../carriers/store.ts'),
    import('../messages/carrier-state-store.ts'),
  ]);
  await withStore(readConfig(process.env), async (store) => {
    const carriers = await store.read(listCarriers, null);
    if (carriers.length === 0) return print('There are no carriers: add one to the provisioning file.');
    const told = await store.read(states.listCarrierStates, null);
    printTable(stateHeads, carrierStateRows(carriers, told, systemClock.now()));
    print();
    const backlogs = await store.read(states.countBacklogs, null);
    const counted = (count: number) => (count < states.mostCounted ? String(count) : `${count} or more`);
    printTable(
      ['CARRIER', 'TYPE', 'WAITING', 'IN FLIGHT'],
      carriers.map(({ id, name, type }) => {
        const { waiting = 0, inFlight = 0 } = backlogs.find(({ carrierId }) => carrierId === id) ?? {};
        return [name, type, counted(waiting), counted(inFlight)];
      }),
    );
  });
}

export const stateHeads = ['CARRIER', 'NODE', 'STATE', 'SINCE', 'FIGURES', 'REASON'];

/** A row for each carrier and node that told of it; `silent`: it has not told for longer than a living node would. */
export function carrierStateRows(
  carriers: readonly CarrierRecord[],
  told: readonly KnownState[],
  now: number,
): string[][] {
  return carriers.flatMap(({ id, name }) => {
    const rows = told
      .filter(({ carrierId }) => carrierId === id)
      .map(({ nodeId, state, since, figures, reason, updatedAt }) => {
        const isSilent = now - updatedAt > silentAfterMs;
        const shown = Object.entries(figures).map(
          ([figure, value]) => `${figure} ${Number(value.toFixed(3))}`,
        );
        const stateNow = isSilent ? `silent, was ${state}` : state;
        return [name, String(nodeId), stateNow, instant(since), shown.join(', '), reason ?? ''];
      });
    return rows.length === 0 ? [[name, '-', 'not told', '', '', 'no node has it open']] : rows;
  });
}

/** A few times as long as nodes are apart in telling. */
const silentAfterMs = 15_000;
