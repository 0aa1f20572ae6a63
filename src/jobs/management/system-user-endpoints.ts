/**
 * The management API endpoints with which administrators list, make, change and remove the system users of their company, who
 * own saved jobs, and say where the events of these jobs are posted.
 */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { newUsername } from '../../accounts/user-records.ts';
import { errorOfFields } from '../../foundation/errors.ts';
import { isMatch } from '../../foundation/if-match.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { passwordOnly } from '../../http/credentials/credentials.ts';
import { type Call, endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text, word } from '../../http/parameters/kinds.ts';
import { numberList, objectOf } from '../../http/parameters/lists.ts';
import { type Input, ruled } from '../../http/parameters/parameter.ts';
import { ofOwnCompany } from '../../resources/api-declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import {
  keyOfSecret,
  newSecret,
  type OptionalJobEvent,
  optionalJobEvents,
  placeOfCallbackSecret,
} from '../../webhooks/endpoint.ts';
import {
  type Administering,
  refuseForbidden,
  someOf,
  urlParameter,
} from '../../webhooks/management/webhook-api.ts';
import { type GivenSystemUser, type SystemUser, systemUsers } from '../system-user.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/systemusers';
const group = 'System users';

const callbackTypes = ['NONE', 'POST'] as const;

const parameters = {
  callback: objectOf(
    'GivenCallback',
    {
      type: word(callbackTypes, { required: true, description: '`NONE`: nothing is posted.' }),
      url: urlParameter,
      secret: ruled(
        text({
          maxLength: 100,
          description:
            'Secret that signs posts: `whsec_` and 24 to 64 octets in base64. Absent: it stays, and a new callback gets one.',
        }),
        secret,
      ),
      events: ruled(
        numberList({
          maxItems: optionalJobEvents.length,
          maxLength: 40,
          description: `Events besides those that are always posted: ${optionalJobEvents.join(', ')}.`,
        }),
        someOf(optionalJobEvents),
      ),
    },
    'Where the events of jobs are posted; it is given as a whole.',
  ),
} as const;

const once = {
  secret: Type.Optional(
    Type.String({
      description:
        'Secret with which the receiver verifies posts, if the call made one. Shown only this once.',
    }),
  ),
};

export function systemUserEndpoints(administering: Administering) {
  const { sealing } = administering;
  const key = {
    name: 'name',
    description: 'Name of the system user, unique in the whole service. It never changes.',
    rule: newUsername,
  } as const;
  const api = new ResourceApi(systemUsers, administering, {
    path,
    group,
    type: 'SystemUser',
    access: ofOwnCompany({ readers: ['companyAdmin'], writers: ['companyAdmin'] }),
    plural: 'systemUsers',
    key,
    listed: shape,
    shown: shape,
    once: {
      properties: once,
      show({ key, callback }, _, given: Given) {
        const [sealed] = given.callback?.secret === undefined ? (callback?.secrets ?? []) : [];
        return { secret: sealed && sealing.open(sealed, placeOfCallbackSecret(key)) };
      },
    },
    more: {
      create: parameters,
      change: {},
      read: async (caller, given, call) => {
        const { name, ...wanted } = given as Given & { readonly name: string };
        return (await wishOf(administering, caller, { name, ...wanted, isSigned: false }, call)).wish;
      },
    },
    list: {
      description:
        'Lists the system users of the company, who own its saved jobs, by name. Requires the role companyAdmin.',
      example: { url: {} },
    },
    get: {
      description: 'Returns a system user with its callback. Requires the role companyAdmin.',
      example: { url: { name: 'ward-jobs' } },
    },
    create: {
      description:
        'Makes a system user, who owns saved jobs and never logs in. A callback gets a signing secret, which is returned once. Requires the role companyAdmin. The call needs a password or a portal session.',
      example: {
        json: {
          name: 'ward-jobs',
          callback: { type: 'POST', url: 'https://receiver.example/jobs', events: ['JOB_WARNING'] },
        },
      },
      credentials: passwordOnly,
      errors: ['too_many_system_users', 'name_taken'],
    },
    remove: {
      description:
        'Removes a system user that owns no saved job, and whose jobs no user may start. Requires the role companyAdmin.',
      example: { url: { name: 'ward-jobs' } },
      errors: ['in_use'],
    },
  });
  const change = endpoint({
    path: `${path}/{name}`,
    methods: ['PATCH'],
    group,
    // A stolen key must not let answers be posted elsewhere.
    credentials: passwordOnly,
    operation: 'updateSystemUser',
    title: 'Change a system user',
    description:
      'Changes the callback of a system user. A callback that posts for the first time gets a signing secret, which is returned once; `/webhooks/{id}/rotate` replaces it later. What a provisioning file has set can be changed only by a provisioning file. Requires the role companyAdmin. The call needs a password or a portal session.',
    example: {
      url: { name: 'ward-jobs' },
      json: { callback: { type: 'POST', url: 'https://receiver.example/ward' } },
    },
    parameters: {
      name: ruled(text({ get: 'name', required: true, description: key.description }), newUsername),
      ...parameters,
    },
    answer: Type.Object({ ...api.one.properties, ...once }, { title: 'MadeSystemUser' }),
    answersVersion: true,
    takesVersion: true,
    errors: ['not_found', 'role_missing', 'managed'],
    async handle(caller, { name, ...given }, call) {
      const { callback, version } = await api.find(caller, name);
      const isSigned = callback !== undefined;
      const { wish, made } = await wishOf(administering, caller, { name, ...given, isSigned }, call);
      // Whether a secret is made depends on the callback that was found: another call must not have changed it meanwhile.
      const ifMatch = isMatch(call.ifMatch, version) ? [version] : call.ifMatch;
      const changed = await api.changeBy(caller, name, wish, ifMatch);
      return { ...api.show(changed), secret: made };
    },
  });
  return [api.list(), api.create(), api.get(), change, api.remove()] as const;
}

const shape = {
  properties: {
    userId: Type.String({ description: 'The `userid` of its callbacks.' }),
    callback: Type.Object(
      {
        type: Type.Unsafe<(typeof callbackTypes)[number]>({ type: 'string', enum: [...callbackTypes] }),
        url: Type.Optional(Type.String({ description: 'Where events are posted.' })),
        events: Type.Array(Type.Unsafe<OptionalJobEvent>({ type: 'string', enum: [...optionalJobEvents] }), {
          description: 'Events besides those that are always posted.',
        }),
        isSigned: Type.Boolean({ description: 'Whether posts are signed.' }),
        webhookId: Type.Optional(
          Type.String({ description: 'Its id among the webhooks, which show its attempts.' }),
        ),
      },
      { title: 'Callback' },
    ),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
  },
  show: ({ id, callback, managedFields }: SystemUser) => ({
    userId: String(id),
    callback: {
      type: callback === undefined ? ('NONE' as const) : ('POST' as const),
      url: callback?.url,
      events: callback?.events ?? [],
      isSigned: callback !== undefined && callback.secrets.length > 0,
      webhookId: callback && String(callback.endpointId),
    },
    managedKeys: managedFields.filter((key) => key === 'callback'),
  }),
};

type Given = Partial<Input<typeof parameters>>;

interface Wished extends Given {
  readonly name: string;
  /** Whether the callback so far keeps its secret. */
  readonly isSigned: boolean;
}

interface Wish {
  readonly wish: GivenSystemUser;
  /** A secret that was made, to be shown once. */
  readonly made?: string;
}

async function wishOf(
  { sealing, lookUps }: Administering,
  caller: Caller,
  { name, callback, isSigned }: Wished,
  call: Pick<Call, 'whileWaiting'>,
): Promise<Wish> {
  if (callback === undefined) return { wish: {} };
  if (callback.type === 'NONE') return { wish: { callback: null } };
  const { url, events = [] } = callback;
  if (url === undefined)
    throw errorOfFields(fault('invalid_value', { sentence: 'callback_url' }), 'callback.url');
  await refuseForbidden(lookUps, caller, { url, field: 'callback.url' }, call);
  const made = callback.secret === undefined && !isSigned ? newSecret() : undefined;
  const plain = callback.secret ?? made;
  const sealed = plain && sealing.seal(plain, placeOfCallbackSecret(name));
  return { wish: { callback: { url, events, secret: sealed } }, ...(made !== undefined && { made }) };
}

function secret(given: string): Result<string> {
  return keyOfSecret(given) === undefined
    ? fault('invalid_value', { sentence: 'callback_secret' })
    : success(given);
}
