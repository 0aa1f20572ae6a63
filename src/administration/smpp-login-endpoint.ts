/** The SMPP login of a user, as administrators of the company give and see it, and the call that makes its password. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import {
  greatestBinds,
  greatestThroughput,
  greatestWindow,
  maxLoginNetworks,
  maxSystemIdLength,
  smppLoginNamed,
  standardBinds,
  standardWindow,
  systemId,
} from '../accounts/smpp-logins.ts';
import { eachOf } from '../foundation/result.ts';
import { passwordOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { digits, integer, text } from '../http/parameters/kinds.ts';
import { objectOf, textList } from '../http/parameters/lists.ts';
import { clearable, ruled } from '../http/parameters/parameter.ts';
import { network } from '../wire/network-list.ts';
import { makeSmppPasswordOf, type UserAdministration } from './administer-company-users.ts';

export const smppLogin = clearable(
  objectOf(
    'SmppLogin',
    {
      systemId: ruled(
        text({
          required: true,
          description: `Name with which programs bind, unique in the whole service: at most ${maxSystemIdLength} ASCII characters, without spaces and colons.`,
        }),
        systemId,
      ),
      binds: integer({
        min: 1,
        max: greatestBinds,
        default: standardBinds,
        description: 'Connections that may be bound at a time, on all nodes together.',
      }),
      window: integer({
        min: 1,
        max: greatestWindow,
        default: standardWindow,
        description: 'Requests that may be unanswered on a connection, each way.',
      }),
      throughput: integer({
        max: greatestThroughput,
        default: 0,
        description: 'Messages a second that each node takes from the user; 0 means no limit of its own.',
      }),
      networks: {
        ...ruled(
          textList({
            maxItems: maxLoginNetworks,
            maxLength: 50,
            description: 'The only IP addresses and networks (`10.0.0.0/8`) that may bind. Initially any.',
          }),
          (given) => eachOf(given, network),
        ),
        refusesEmpty: true,
      },
    },
    'The login of the user’s programs at the SMPP server: `systemId`, and perhaps `binds`, `window`, `throughput` and `networks`, which get their defaults if left out. The password stays; a new login has none until it is made.',
  ),
);

export const shownLogin = Type.Object(
  {
    systemId: Type.String(),
    binds: Type.Integer(),
    window: Type.Integer(),
    throughput: Type.Integer(),
    networks: Type.Optional(Type.Array(Type.String(), { description: 'Absent: any.' })),
    hasPassword: Type.Boolean({ description: 'Whether programs can bind.' }),
  },
  { title: 'UserSmppLogin' },
);

export function smppPasswordEndpoint(services: UserAdministration) {
  return endpointsFor<Caller>()({
    path: '/api/v1/users/{id}/smpp/password',
    methods: ['POST'],
    group: 'Users',
    // A stolen key must not make a password, which would outlive the key.
    credentials: passwordOnly,
    operation: 'createSmppPassword',
    title: 'Make a password for the SMPP login of a user',
    description:
      'Makes a random password. Within a second, on every node, the old one stops working and connections bound with it end. You need all rights that the user has.',
    example: { url: { id: '10002' }, json: {} },
    parameters: {
      id: digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the user.' }),
    },
    answer: Type.Object(
      {
        systemId: Type.String(),
        password: Type.String({
          description: 'Shown only this once: send it over a private channel.',
        }),
      },
      { title: 'SmppPassword' },
    ),
    errors: ['role_missing', 'not_found', 'password_needed', 'managed', 'beyond_own_rights'],
    concernsSecurity: (_, { systemId }) => ({ event: 'password_set', object: smppLoginNamed(systemId) }),
    handle: (caller, { id }) => makeSmppPasswordOf(services, caller, id),
  });
}
