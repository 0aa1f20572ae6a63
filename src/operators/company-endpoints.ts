/** The calls with which operators look at companies, their users and their messages. */
import Type from 'typebox';
import { type Role, roles } from '../accounts/role.ts';
import { noteLook } from '../audit/audit-log.ts';
import { ServiceError } from '../foundation/errors.ts';
import { digits } from '../http/parameters/kinds.ts';
import { languageParameter } from '../http/parameters/language.ts';
import {
  inOrderOfLanguage,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
} from '../http/parameters/page.ts';
import { shownMessage, shownMessageFields } from '../messages/management/shown-message.ts';
import { parseMessageId } from '../messages/message.ts';
import { readVisible } from '../messages/operator/inspect.ts';
import {
  findCompany,
  listCompanies,
  listUsersOfCompany,
  maxCounted,
  type SeenCompany,
  type SeenUser,
} from './company-store.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';
import { byOperator, type Operator } from './operator.ts';

const path = '/api/v1/operator/companies';
const dayMs = 86_400_000;
const upTo = `at most ${maxCounted}, above which there are more.`;

const companyFields = {
  id: Type.String(),
  name: Type.String(),
  active: Type.Boolean({ description: 'Whether its users can sign in and make calls.' }),
  quotaParts: Type.Optional(Type.Integer({ description: 'SMS parts that it may send in all; absent: any.' })),
  quotaUsed: Type.Integer({ description: 'SMS parts of its quota that are used.' }),
  users: Type.Integer({ description: `How many users it has, ${upTo}` }),
  sentToday: Type.Integer({ description: `Messages accepted since midnight (UTC), ${upTo}` }),
};
const listedCompany = Type.Object(companyFields, { title: 'OperatorsCompany' });

const count = Type.Optional(Type.Integer({ description: 'Absent: no limit.' }));
const shownCompany = Type.Object(
  {
    ...companyFields,
    defaultSender: Type.Optional(Type.String()),
    senders: Type.Optional(Type.Array(Type.String(), { description: 'Its only sender ids; absent: any.' })),
    partsPerMinute: count,
    partsPerDay: count,
    countries: Type.Optional(
      Type.Array(Type.String(), { description: 'The only countries it may send to; absent: any.' }),
    ),
    language: Type.Union([Type.Literal('en'), Type.Literal('sv')]),
    countryCode: Type.Optional(Type.String({ description: 'The code of numbers that begin with 0.' })),
  },
  { title: 'OperatorsCompanyDetails' },
);

const listedUser = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    roles: Type.Array(Type.Unsafe<Role>({ type: 'string', enum: [...roles] })),
    active: Type.Boolean(),
    hasPassword: Type.Boolean(),
    quotaParts: count,
    defaultSender: Type.Optional(Type.String()),
    lastSignIn: Type.Optional(Type.String({ description: 'Last sign-in to the portal.' })),
  },
  { title: 'OperatorsUser' },
);

function listed({ id, name, active, quotaParts, quotaUsed, users, sentToday }: SeenCompany) {
  return { id: String(id), name, active, quotaParts, quotaUsed, users, sentToday };
}

function shown(company: SeenCompany) {
  const { limits, senders, defaultSender, language = 'en', countryCode } = company;
  return {
    ...listed(company),
    defaultSender,
    senders: senders && [...senders],
    partsPerMinute: limits?.partsPerMinute,
    partsPerDay: limits?.partsPerDay,
    countries: limits?.countries && [...limits.countries],
    language,
    countryCode,
  };
}

function shownUser({ user, lastSignIn }: SeenUser) {
  return {
    id: String(user.id),
    username: user.username,
    roles: [...user.roles],
    active: user.active,
    hasPassword: user.passwordHash !== undefined,
    quotaParts: user.quotaParts,
    defaultSender: user.defaultSender,
    lastSignIn: lastSignIn === undefined ? undefined : new Date(lastSignIn).toISOString(),
  };
}

const id = digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the company.' });

export function companyEndpoints(services: Operating) {
  const { store, clock } = services;
  const today = () => {
    const now = clock.now();
    return now - (now % dayMs);
  };
  const companyOf = async (id: string): Promise<SeenCompany> => {
    const company = await store.read(findCompany, { id: Number(id), since: today() });
    if (company === undefined)
      throw new ServiceError('not_found', { sentence: 'none_such', noun: 'company', id });
    return company;
  };
  /** Administrators of the company read in its audit log who has looked at it. */
  const noteVisit = (operator: Operator, { id, name }: SeenCompany) =>
    store.write(noteLook, {
      companyId: id,
      at: clock.now(),
      by: byOperator(operator),
      act: 'company.look',
      object: name,
    });
  return [
    operatorEndpoint({
      path,
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsCompanies',
      title: 'List all companies',
      description: `Lists the companies of the service by name. ${inOrderOfLanguage}`,
      example: { url: {} },
      parameters: namePageParameters,
      answer: Type.Object({ companies: Type.Array(listedCompany), next: nextOf('companies') }),
      async handle(_, { after, limit }, { language }) {
        const from = after ?? { language };
        const rows = await store.read(listCompanies, { from, limit, since: today() });
        const found = pageOf(rows, limit, ({ name }) => nameCursor(from)({ name }));
        return { companies: found.items.map(listed), next: found.next };
      },
    }),
    operatorEndpoint({
      path: `${path}/{id}`,
      methods: ['GET'],
      ...ofOperators,
      operation: 'getOperatorsCompany',
      title: 'Read a company',
      description:
        'Returns the settings and limits of a company. The company’s audit log records who has looked.',
      example: { url: { id: '1' } },
      parameters: { id },
      answer: shownCompany,
      errors: ['not_found'],
      async handle(operator, { id }) {
        const company = await companyOf(id);
        await noteVisit(operator, company);
        return shown(company);
      },
    }),
    operatorEndpoint({
      path: `${path}/{id}/users`,
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsUsers',
      title: 'List the users of a company',
      description: `Lists the users of a company by name. ${inOrderOfLanguage} The company’s audit log records who has looked.`,
      example: { url: { id: '1' } },
      parameters: { id, ...namePageParameters },
      answer: Type.Object({ users: Type.Array(listedUser), next: nextOf('users') }),
      errors: ['not_found'],
      async handle(operator, { id, after, limit }, { language }) {
        const company = await companyOf(id);
        await noteVisit(operator, company);
        const from = after ?? { language };
        const users = await store.read(listUsersOfCompany, { companyId: company.id, from, limit });
        const found = pageOf(users, limit, ({ user }) => nameCursor(from)({ name: user.username }));
        return { users: found.items.map(shownUser), next: found.next };
      },
    }),
    messageEndpoint(services, companyOf),
  ] as const;
}

const { message: text, timeline, ...otherFields } = shownMessageFields;
const { receipt: _, ...entryFields } = timeline.items.properties;
const shownToOperators = Type.Object(
  {
    ...otherFields,
    message: Type.Optional({
      ...text,
      description: 'Text of the SMS; only if CARILLON_OPERATORS_READ is on.',
    }),
    timeline: Type.Array(Type.Object(entryFields), { description: 'Earliest first.' }),
  },
  { title: 'OperatorsMessage' },
);

/** Receipts quote the beginning of a text, so they are never shown. */
function messageEndpoint(
  { store, clock, readsTexts }: Operating,
  companyOf: (id: string) => Promise<SeenCompany>,
) {
  return operatorEndpoint({
    path: `${path}/{id}/messages/{message}`,
    methods: ['GET'],
    ...ofOperators,
    operation: 'getOperatorsMessage',
    title: 'Read a message of a company',
    description:
      'Returns the status of a message and what happened to it. The company’s audit log records who has looked, and whether the text was shown.',
    example: { url: { id: '1', message: '1' } },
    parameters: {
      id,
      message: digits({ get: 'message', required: true, description: 'Id of the message.' }),
      language: languageParameter,
    },
    answer: shownToOperators,
    errors: ['not_found'],
    async handle(operator, { id, message: given, language = 'en' }) {
      const { id: companyId } = await companyOf(id);
      const messageId = parseMessageId(given);
      const found =
        messageId === undefined
          ? null
          : await store.read(readVisible, { companyId, userId: null, id: messageId });
      if (found === null)
        throw new ServiceError('not_found', { sentence: 'none_such', noun: 'message', id: given });
      await store.write(noteLook, {
        companyId,
        at: clock.now(),
        by: byOperator(operator),
        act: 'message.read',
        object: String(messageId),
        details: { sentence: readsTexts ? 'of_user' : 'of_user_textless', user: found.username },
      });
      const { message, timeline, ...others } = shownMessage(found, language);
      return {
        ...others,
        message: readsTexts ? message : undefined,
        timeline: timeline.map(({ receipt: _, ...entry }) => entry),
      };
    },
  });
}
