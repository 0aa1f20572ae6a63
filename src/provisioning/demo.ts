/** The first start of an empty store finds a company to try the service with: nothing to set up before the first SMS. */
import { randomInt } from 'node:crypto';
import type { TSchema } from 'typebox';
import { Passwords } from '../accounts/password.ts';
import { roles } from '../accounts/role.ts';
import { carrierTypes } from '../carriers/provisioned/carrier-record.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { noPlace } from '../yaml/fault.ts';
import { demoAddressBook } from './demo-address-book.ts';
import { emptyPlan, type Plan } from './plan.ts';
import type { Planned } from './planned.ts';
import { applyPlan } from './store.ts';

export interface DemoCredentials {
  readonly username: string;
  /** Random, and kept nowhere: it can be told once. */
  readonly password: string;
}

/** All but the people of its address book. Undefined: the store has a company already, and stays as it is. */
export async function createDemoCompany(store: Store, clock: Clock): Promise<DemoCredentials | undefined> {
  const password = randomPassword();
  const passwordHash = await new Passwords().hash(password);
  const applied = await store.write(applyPlan, {
    plan: demoPlan(passwordHash),
    when: 'storeEmpty',
    file: undefined,
    now: clock.now(),
  });
  return applied.kind === 'applied' ? { username: demoUsername, password } : undefined;
}

const passwordCharacters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** 93 bits, of characters that no shell, URL or command line takes for anything else, nor a reader for another one. */
export function randomPassword(): string {
  const draw = () => passwordCharacters[randomInt(passwordCharacters.length)] as string;
  return Array.from({ length: 16 }, draw).join('');
}

const demoUsername = 'demo';
/** From the series that the Swedish regulator keeps free for use in films and books: it belongs to nobody. */
const demoNumber = '46701740605';
/** Of the same series: the pool from which two-way SMS go out. */
const demoPool = ['46701740606', '46701740607'];

/** Of the top-level domain that is kept free for examples (RFC 2606). */
const demoEnding = '.example';

/** More than anybody sends who tries the service out; whoever finds the password does not send all day. */
const demoLimits = { partsPerMinute: 600, partsPerDay: 20_000, countries: undefined };

/** For the examples of the documentation. */
const demoTemplate = {
  id: 1001,
  name: 'Visit',
  text: 'Dear {Text:customer}, welcome on {DateTime:when}.',
};

function demoPlan(passwordHash: string): Plan {
  const planned: Planned = { place: noPlace, fieldPlaces: {}, remove: false };
  const unlimited = { id: undefined, active: true, quotaParts: undefined, limits: undefined };
  return {
    ...emptyPlan,
    companies: [
      {
        ...planned,
        ...unlimited,
        limits: demoLimits,
        name: 'Demo',
        defaultSender: 'Carillon',
        sendHours: undefined,
        templates: [{ ...planned, ...demoTemplate }],
        allowedDomainEndings: [{ ending: demoEnding, place: noPlace }],
        emailDefaults: undefined,
        emailSenders: [],
        senderRules: [],
        users: [
          {
            ...planned,
            ...unlimited,
            username: demoUsername,
            password: undefined,
            passwordHash,
            roles: [...roles],
            defaultSender: undefined,
            senders: undefined,
            replaceCharacters: true,
            maxBatch: undefined,
            smtpSplit: true,
            addressBooks: [demoAddressBook.name],
            defaultAddressBook: demoAddressBook.name,
          },
        ],
        addressBooks: [demoAddressBook],
      },
    ],
    carriers: [{ ...planned, name: 'sim', type: 'simulator', settings: simulatorDefaults() }],
    routes: [{ ...planned, ...forAll, name: 'all', prefix: '', carriers: ['sim'] }],
    numbers: [
      { ...planned, number: demoNumber, ...ofNobody, rentedBy: demoUsername },
      ...demoPool.map((number) => ({ ...planned, number, ...ofNobody, pool: true })),
    ],
  };
}

const ofNobody = { rentedBy: undefined, pool: false, company: undefined };
const forAll = { senders: undefined, users: undefined, priority: 0 } as const;

function simulatorDefaults(): Readonly<Record<string, unknown>> {
  const settings = Object.entries<TSchema & { readonly default?: unknown }>(
    carrierTypes.simulator.properties,
  );
  return Object.fromEntries(
    settings.flatMap(([name, setting]) => (setting.default === undefined ? [] : [[name, setting.default]])),
  );
}
