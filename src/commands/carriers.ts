/** `carillon carriers`: shows the state of the carriers at each node, and how many messages wait for them; tries one. */
import { Command, Option } from 'commander';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { systemClock } from '../foundation/clock.ts';
import { print, printJson } from '../foundation/terminal.ts';
import type { KnownState } from '../messages/nodes/carrier-states.ts';
import * as states from '../messages/nodes/carrier-states.ts';
import { usualSender, usualText } from '../operators/test-carrier.ts';
import type { AnswerOf, Api } from './api.ts';
import { actsAsEither, type CallerOptions, refuseOptionsBefore } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { showAddresses } from './carrier-addresses.ts';
import { instant, type JsonOption, jsonOption, printTable } from './list.ts';
import { seconds, sendTest, usualWaitSeconds } from './test-carrier.ts';

export function carriersCommand(): Command {
  const carriers = actsAsEither(new Command('carriers').enablePositionalOptions(), showAsUser, show);
  carriers
    .command('test <carrier>')
    .description('send one SMS by a carrier, whatever the routes say, and show what became of it')
    .requiredOption('--to <number>', 'the number, with its country code')
    .option('--from <sender>', `the sender (default: ${usualSender})`)
    .option('--text <text>', `the text, of one SMS (default: ${usualText})`)
    .addOption(
      new Option('--wait <seconds>', 'how long to wait for the receipt')
        .default(usualWaitSeconds)
        .argParser(seconds),
    )
    .option(...jsonOption)
    .action(sendTest);
  carriers
    .command('check <file>')
    .description('play recorded conversations through declarations of carriers by HTTP, and send nothing')
    .option(...jsonOption)
    .action(async (file: string, options: JsonOption) => {
      // The schema of provisioning files makes up most of the program, so it is loaded only when needed.
      const { checkCarriers } = await import('./check-carrier.ts');
      await checkCarriers(file, options);
    });
  carriers
    .command('addresses <carrier>')
    .description('show where the service of a carrier by HTTP may call with receipts and incoming SMS')
    .option(...jsonOption)
    .action(showAddresses);
  return refuseOptionsBefore(carriers);
}

async function showAsUser(api: Api, { json = false }: CallerOptions & JsonOption): Promise<void> {
  const { carriers } = await api.get('/api/v1/carriers', {});
  if (json) return printJson(carriers, 2);
  if (carriers.length === 0) return print('No route of the company leads to a carrier.');
  const now = api.answeredAt;
  const shown = carriers.map(({ name, nodes }) => ({
    name,
    nodes: nodes.map((node) => atNode(reportOf(node), now)),
  }));
  printTable(...carrierStates(shown));
}

type OwnNode = AnswerOf<'GET', '/api/v1/carriers'>['carriers'][number]['nodes'][number];

function reportOf({ node, state, since, told: reportedAt, reason, ...rest }: OwnNode): Report {
  const { binds, bindsUp, window, windowUsed } = rest;
  const times = { since: Date.parse(since), updatedAt: Date.parse(reportedAt) };
  return {
    nodeId: Number(node),
    state,
    reason: reason ?? null,
    figures: { binds, bindsUp, window, windowUsed },
    ...times,
  };
}

async function show({ json = false }: JsonOption): Promise<void> {
  await inStore(async (store) => {
    const reports = await store.read(states.listCarrierStates, null);
    const backlogs = await store.read(states.countBacklogs, { upTo: states.maxCounted });
    const now = systemClock.now();
    const carriers = (await store.read(listCarriers, null)).map((carrier) => {
      const backlog = backlogs.find(({ carrierId }) => carrierId === carrier.id);
      const { waiting = 0, inFlight = 0 } = backlog ?? {};
      const { name, type } = carrier;
      return {
        name,
        type,
        nodes: nodesOf(carrier, reports, now),
        waiting,
        inFlight,
        countedTo: states.maxCounted,
      };
    });
    if (json) return printJson(carriers, 2);
    if (carriers.length === 0) return print('There are no carriers. Add one to the provisioning file.');
    printTable(...carrierStates(carriers));
    print();
    const counted = (count: number) => (count < states.maxCounted ? String(count) : `${count} or more`);
    printTable(
      ['CARRIER', 'TYPE', 'WAITING', 'IN FLIGHT'],
      carriers.map(({ name, type, waiting, inFlight }) => [name, type, counted(waiting), counted(inFlight)]),
    );
  });
}

/**
 * The state of a carrier at a node. In JSON as in the table, the properties that operators look for come first.
 */
interface CarrierAtNode {
  readonly state: string;
  readonly reason: string | null;
  readonly since: string;
  readonly node: number;
  readonly figures: Figures;
}

/** Undefined when unknown; the figure is then not shown. */
type Figures = Readonly<Record<string, number | undefined>>;

/** A node's last report about a carrier. */
interface Report extends Pick<KnownState, 'nodeId' | 'state' | 'since' | 'updatedAt' | 'reason'> {
  readonly figures: Figures;
}

/** The carrier's state at each node that has reported on it. */
export function nodesOf(
  { id }: { readonly id: number },
  reports: readonly KnownState[],
  now: number,
): readonly CarrierAtNode[] {
  return reports.filter(({ carrierId }) => carrierId === id).map((one) => atNode(one, now));
}

function atNode(report: Report, now: number): CarrierAtNode {
  const { nodeId, state, since, figures, reason } = report;
  return {
    state: states.isSilent(report, now) ? `silent, was ${state}` : state,
    reason: reason ?? null,
    since: instant(since),
    node: nodeId,
    figures,
  };
}

interface CarrierWithNodes {
  readonly name: string;
  readonly nodes: readonly CarrierAtNode[];
}

/** A table with the state at each node; the reason and the figures follow below the row. */
export function carrierStates(carriers: readonly CarrierWithNodes[]): Parameters<typeof printTable> {
  const rows: string[][] = [];
  const notes: string[][] = [];
  for (const { name, nodes } of carriers) {
    for (const { state, reason, since, node, figures } of nodes) {
      const shown = Object.entries(figures).flatMap(([figure, value]) =>
        value === undefined ? [] : `${figure} ${Number(value.toFixed(3))}`,
      );
      rows.push([name, state, since, String(node)]);
      notes.push([reason ?? '', shown.join(', ')].filter((note) => note !== ''));
    }
    if (nodes.length > 0) continue;
    rows.push([name, 'not reported', '', '-']);
    notes.push(['no node has this carrier open']);
  }
  return [['CARRIER', 'STATE', 'SINCE', 'NODE'], rows, notes];
}
