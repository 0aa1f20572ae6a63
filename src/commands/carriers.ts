/** `carillon carriers`: how the carriers are at each node, and how much waits for them. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import type { CarrierRecord } from '../carriers/provisioned/carrier-record.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { print, printJson } from '../foundation/terminal.ts';
import type { KnownState } from '../messages/nodes/carrier-states.ts';
import * as states from '../messages/nodes/carrier-states.ts';
import { instant, type JsonOption, jsonOption, printTable } from './list.ts';

export function carriersCommand(): Command {
  return new Command('carriers').option(...jsonOption).action(show);
}

async function show({ json = false }: JsonOption): Promise<void> {
  await withStore(readConfig(process.env), async (store) => {
    const carriers = await store.read(listCarriers, null);
    const told = await store.read(states.listCarrierStates, null);
    const backlogs = await store.read(states.countBacklogs, null);
    const backlogOf = (id: number) =>
      backlogs.find(({ carrierId }) => carrierId === id) ?? { waiting: 0, inFlight: 0 };
    if (json) {
      const now = systemClock.now();
      const all = carriers.map((carrier) => ({
        name: carrier.name,
        type: carrier.type,
        nodes: nodesOf(carrier, told, now),
        waiting: backlogOf(carrier.id).waiting,
        inFlight: backlogOf(carrier.id).inFlight,
        countedTo: states.maxCounted,
      }));
      return printJson(all, 2);
    }
    if (carriers.length === 0) return print('There are no carriers: add one to the provisioning file.');
    printTable(...carrierStates(carriers, told, systemClock.now()));
    print();
    const counted = (count: number) => (count < states.maxCounted ? String(count) : `${count} or more`);
    printTable(
      ['CARRIER', 'TYPE', 'WAITING', 'IN FLIGHT'],
      carriers.map(({ id, name, type }) => [
        name,
        type,
        counted(backlogOf(id).waiting),
        counted(backlogOf(id).inFlight),
      ]),
    );
  });
}

/** How a carrier is at a node: what an operator looks for first comes first, in JSON as in the table. */
export interface CarrierAtNode {
  readonly state: string;
  readonly reason: string | null;
  readonly since: string;
  readonly node: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** At each node that told of it; `silent`: it has not told for longer than a living node would. */
export function nodesOf(
  { id }: Pick<CarrierRecord, 'id'>,
  told: readonly KnownState[],
  now: number,
): readonly CarrierAtNode[] {
  return told
    .filter(({ carrierId }) => carrierId === id)
    .map(({ nodeId, state, since, figures, reason, updatedAt }) => ({
      state: now - updatedAt > silentAfterMs ? `silent, was ${state}` : state,
      reason: reason ?? null,
      since: instant(since),
      node: nodeId,
      figures,
    }));
}

/** A table of how each is at each node; why, and its figures, stand below the row. */
export function carrierStates(
  carriers: readonly Pick<CarrierRecord, 'id' | 'name'>[],
  told: readonly KnownState[],
  now: number,
): Parameters<typeof printTable> {
  const rows: string[][] = [];
  const notes: string[][] = [];
  for (const carrier of carriers) {
    const nodes = nodesOf(carrier, told, now);
    for (const { state, reason, since, node, figures } of nodes) {
      const shown = Object.entries(figures).map(([figure, value]) => `${figure} ${Number(value.toFixed(3))}`);
      rows.push([carrier.name, state, since, String(node)]);
      notes.push([reason ?? '', shown.join(', ')].filter((note) => note !== ''));
    }
    if (nodes.length > 0) continue;
    rows.push([carrier.name, 'not told', '', '-']);
    notes.push(['no node has it open']);
  }
  return [['CARRIER', 'STATE', 'SINCE', 'NODE'], rows, notes];
}

/** A few times as long as nodes are apart in telling. */
const silentAfterMs = 15_000;
