/** `carillon routes`: lists the routes, and shows which carrier a message would take. */
import { Command } from 'commander';
import { findAccountByUsername } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import * as states from '../messages/nodes/carrier-states.ts';
import { type Explanation, explainRoutes } from '../routing/explain.ts';
import { listNumbers, type NumberRecord } from '../routing/number-records.ts';
import { compareRoutes, type Origin, type Route } from '../routing/route.ts';
import { listRoutes } from '../routing/route-records.ts';
import type { Store } from '../storage/store.ts';
import { cleanNumber, isCountryCode } from '../wire/phone-number.ts';
import { parseSender } from '../wire/sender-id.ts';
import { inStore } from './as-operator.ts';
import { carrierStates, nodesOf } from './carriers.ts';
import {
  columnsBy,
  factLines,
  type JsonOption,
  jsonOption,
  printList,
  printRows,
  printTable,
} from './list.ts';

export function routesCommand(): Command {
  const routes = new Command('routes')
    .enablePositionalOptions()
    .option(...jsonOption)
    .action(list);
  routes
    .command('explain <number>')
    .description('show which carrier a message to a number would take now, and why')
    .option('--user <username>', 'the user who sends the message')
    .option('--sender <sender>', "the sender of the message (default: the user's default sender)")
    .option('--twoway', 'as a two-way SMS, which is sent from a number in the pool')
    .option('--country <code>', 'the country code for a number that begins with a single 0')
    .option(...jsonOption)
    .action(explain);
  return routes;
}

async function list(options: JsonOption): Promise<void> {
  await inStore(async (store) => {
    const routes = [...(await store.read(listRoutes, null))].sort(compareRoutes);
    const none = 'There are no routes, so nothing can be sent.';
    printList(routes, { none, columns: routeColumns, toJson: routeJson }, options);
  });
}

const any = (names: readonly string[] | undefined) => names?.join(' ') ?? 'any';
const quoted = (text: string) => (text === '' ? '""' : text);

const routeColumns = {
  ROUTE: ({ name }: Route) => quoted(name),
  PREFIX: ({ prefix }: Route) => quoted(prefix),
  SENDERS: ({ senders }: Route) => any(senders),
  USERS: ({ users }: Route) => any(users),
  PRIORITY: ({ priority = 0 }: Route) => String(priority),
  CARRIERS: ({ carriers }: Route) => carriers.join(' '),
};

function routeJson({ name, prefix, senders, users, priority, carriers }: Route): object {
  return { name, prefix, senders: senders ?? null, users: users ?? null, priority: priority ?? 0, carriers };
}

interface ExplainOptions extends JsonOption {
  readonly user?: string;
  readonly sender?: string;
  readonly country?: string;
  readonly twoway?: boolean;
}

async function explain(given: string, options: ExplainOptions): Promise<void> {
  const number = await cleaned(given, options.country);
  await inStore(async (store) => {
    const now = systemClock.now();
    const carriers = await store.read(listCarriers, null);
    const reports = await store.read(states.listCarrierStates, null);
    const { company, ...origin } = await originOf(store, options);
    const routes = await store.read(listRoutes, null);
    const isUsable = (id: number) =>
      states.bestOf(
        reports.filter(({ carrierId }) => carrierId === id),
        now,
      ) !== 'down';
    const explainFrom = (sender: string) =>
      explainRoutes({ routes, carriers, isUsable, number, origin: { ...origin, sender } });
    const explanation = explainFrom(origin.sender);
    const concerned = carriers
      .filter(({ name }) => explanation.steps.some(({ route }) => route.carriers.includes(name)))
      .map((carrier) => ({ name: carrier.name, nodes: nodesOf(carrier, reports, now) }));
    const groups = options.twoway
      ? twoWayGroups(poolOf(company, await store.read(listNumbers, null)), routes, explainFrom)
      : undefined;
    if (options.json)
      return printJson({ number, ...origin, ...explanationJson(explanation, groups), states: concerned }, 2);
    const facts = [
      ['number', number],
      ['user', origin.username || 'none given'],
      ['sender', (options.twoway ? 'a number in the pool' : origin.sender) || 'none given'],
    ] as const;
    print(...factLines(facts, 8));
    printSteps(explanation);
    if (groups === undefined) print(verdict(explanation));
    else printTwoWay(groups);
    if (concerned.length === 0) return;
    print();
    printTable(...carrierStates(concerned));
  });
}

function printSteps({ steps }: Explanation): void {
  print();
  if (steps.length === 0) return;
  printRows(steps, {
    '': ({ isTaken }) => (isTaken ? '>' : ''),
    ...columnsBy(({ route }: Explanation['steps'][number]) => route, routeColumns),
    BECAUSE: ({ because }) => because,
  });
  print();
}

function verdict({ carriers, waits }: Pick<Explanation, 'carriers' | 'waits'>): string {
  if (carriers.length === 0) return 'No route leads there: the message is refused (no_route).';
  if (waits) return `The message waits for ${carriers.join(' or ')}.`;
  return `The message goes to ${carriers.join(' or ')}${carriers.length > 1 ? ', which take turns' : ''}.`;
}

/** Without a company, only the numbers that all companies share are in the pool. */
function poolOf(company: string | undefined, numbers: readonly NumberRecord[]): readonly string[] {
  return numbers
    .filter((one) => one.pool && (one.company === undefined || one.company === company))
    .map(({ number }) => number);
}

interface TwoWayGroup {
  /** Undefined means any number that no route names. */
  readonly from: string | undefined;
  readonly explanation: Explanation;
}

/**
 * The number is chosen before the route, so there is a group for each number that some route names, and one for all others.
 */
function twoWayGroups(
  pool: readonly string[],
  routes: readonly Route[],
  explainFrom: (sender: string) => Explanation,
): readonly TwoWayGroup[] {
  const named = pool.filter((number) => routes.some(({ senders }) => senders?.includes(number)));
  return [
    ...named.map((from) => ({ from, explanation: explainFrom(from) })),
    ...(named.length < pool.length ? [{ from: undefined, explanation: explainFrom('') }] : []),
  ];
}

function printTwoWay(groups: readonly TwoWayGroup[]): void {
  if (groups.every(({ explanation }) => explanation.carriers.length === 0)) {
    print(groups.length === 0 ? 'The pool has no numbers.' : verdict({ carriers: [], waits: false }));
    return;
  }
  for (const { from, explanation } of groups) {
    const leadsThere = explanation.carriers.length > 0;
    const origin = from === undefined ? 'From any other number' : `From ${from}`;
    print(`${origin}: ${leadsThere ? verdict(explanation) : 'No route leads there, so it is not chosen.'}`);
  }
}

function explanationJson(
  { steps, carriers, waits }: Explanation,
  groups: readonly TwoWayGroup[] | undefined,
): object {
  return {
    steps: steps.map(({ route, isTaken, because }) => ({ ...routeJson(route), isTaken, because })),
    ...(groups === undefined
      ? { carriers, waits }
      : {
          from: groups.map(({ from, explanation: e }) => ({
            number: from ?? null,
            carriers: e.carriers,
            waits: e.waits,
          })),
        }),
  };
}

/** Works as sending does: the user's sender is the default, and senders are normalised. */
async function originOf(
  store: Store,
  { user, sender, twoway }: ExplainOptions,
): Promise<Origin & { readonly company: string | undefined }> {
  const account = user === undefined ? undefined : await store.read(findAccountByUsername, user);
  if (user !== undefined && account === undefined) throw new StartError(`There is no user ${user}.`);
  if (twoway && sender !== undefined)
    throw new StartError('A two-way SMS has no sender of its own: leave out --sender or --twoway.');
  const wanted = sender === undefined ? undefined : parseSender(sender);
  if (wanted?.ok === false) throw new StartError(wanted.error);
  const standard = account === undefined ? undefined : callerOf(account).defaultSender;
  return {
    username: user ?? '',
    sender: wanted?.value.value ?? (twoway ? '' : standard) ?? '',
    company: account?.company.name,
  };
}

async function cleaned(given: string, country: string | undefined): Promise<string> {
  if (country !== undefined && !isCountryCode(country))
    throw new StartError(`--country must be 1 to 4 digits that do not begin with 0, not ${country}.`);
  const number = cleanNumber(given, country);
  if (number.ok) return number.value;
  throw new StartError(number.error);
}
