/** Endpoints through which administrators see, add and remove opt-outs, and decide about near misses. */
import Type from 'typebox';
import { type Caller, numberIn } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { byUser } from '../audit/audit-log.ts';
import { namesOfNumbers } from '../contacts/names-of-numbers.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import { anyMethod, anyMethodBesideLines } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { defaultCountryCode } from '../http/parameters/country-code.ts';
import { boolean, digits, text, word } from '../http/parameters/kinds.ts';
import { languageParameter } from '../http/parameters/language.ts';
import { type Cursor, nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { type Input, ruled } from '../http/parameters/parameter.ts';
import { announceHint } from '../storage/hints.ts';
import { countryCodeOf } from '../wire/phone-number.ts';
import { parseTime } from '../wire/schedule-time.ts';
import { exportOptOuts, type OptOutFilter } from './export-opt-outs.ts';
import {
  importOptOuts,
  maxFileBytes,
  maxRows,
  maxShownFaults,
  type OptOutServices,
  optOutsHint,
  type RowFault,
  rowFaults,
} from './import-opt-outs.ts';
import { listNearMisses, type NearMiss, settleNearMiss } from './near-miss.ts';
import {
  addOptOuts,
  maxProofLength,
  type OptOut,
  type OptOutCategory,
  type OptOutSource,
  optOutCategories,
  optOutSources,
  readOptOut,
  removeOptOut,
  searchOptOuts,
} from './opt-out.ts';

const endpoint = endpointsFor<Caller>();
const common = { group: 'Opt-outs', credentials: anyMethod } as const;
const path = '/api/v1/optouts';
const exampleNumber = '46701740638';

const iso = (at: number) => new Date(at).toISOString();
const time = (get: string, description: string) =>
  ruled(text({ get, maxLength: 50, description: `${description} (ISO 8601 with zone)` }), parseTime);
const id = digits({ get: 'id', required: true, description: 'Id of the opt-out.' });
const number = (description: string) => text({ get: 'number', maxLength: 100, description });

const filterParameters = {
  number: number('Only of this phone number.'),
  category: word(optOutCategories, { get: 'category', description: 'Only of this category.' }),
  source: word(optOutSources, { get: 'source', description: 'Only from this source.' }),
  since: time('since', 'Held since that time or later'),
  until: time('until', 'Held since before that time'),
} as const;

const optOutFields = {
  id: Type.String(),
  number: Type.Optional(Type.String({ description: 'Phone number; absent when its person was erased.' })),
  name: Type.Optional(Type.String({ description: 'Name in an address book of the caller.' })),
  category: Type.Unsafe<OptOutCategory>({
    type: 'string',
    enum: [...optOutCategories],
    description: 'What the person does not want; `all` is what STOP means.',
  }),
  since: Type.String({ description: 'ISO 8601, UTC.' }),
  source: Type.Unsafe<OptOutSource>({
    type: 'string',
    enum: [...optOutSources],
    description: 'How it came: by an SMS of the person, or through an administrator.',
  }),
  word: Type.Optional(Type.String({ description: 'Word of the SMS that opted out.' })),
  proof: Type.Optional(Type.String({ description: 'The SMS, or what an administrator wrote down.' })),
  incomingId: Type.Optional(Type.String({ description: 'Id of the SMS.' })),
  to: Type.Optional(Type.String({ description: 'Our number that the SMS came to.' })),
  addedBy: Type.Optional(Type.String({ description: 'User who added it.' })),
};
const optOut = Type.Object(optOutFields, { title: 'OptOut' });

export function shownOptOut(row: OptOut, names: ReadonlyMap<string, string> = new Map()) {
  return {
    id: String(row.id),
    number: row.erased ? undefined : row.phone,
    name: names.get(row.phone),
    category: row.category,
    since: iso(row.since),
    source: row.source,
    word: row.word || undefined,
    proof: row.proof || undefined,
    incomingId: row.incomingId === null ? undefined : String(row.incomingId),
    to: row.number || undefined,
    addedBy: row.addedBy ?? undefined,
  };
}

function behindOf(after: Cursor | undefined) {
  return after === undefined ? null : { at: after.time ?? Number.MAX_SAFE_INTEGER, id: after.id };
}

const noOptOut = (given: string) =>
  new ServiceError('not_found', { sentence: 'none_such', noun: 'opt-out', id: given });

function filterOf(
  caller: Caller,
  { number: given, ...filter }: Input<typeof filterParameters>,
): OptOutFilter {
  return { ...filter, phone: given === undefined ? undefined : numberIn(caller, 'number', given) };
}

export function optOutEndpoints(services: OptOutServices) {
  return [
    ...fileEndpoints(services),
    ...nearMissEndpoints(services),
    ...readingEndpoints(services),
    ...changingEndpoints(services),
  ] as const;
}

function readingEndpoints({ store, secret }: OptOutServices) {
  return [
    endpoint({
      ...common,
      path,
      methods: ['GET'],
      operation: 'listOptOuts',
      title: 'List opt-outs',
      description:
        'Lists who wants no SMS from the company, latest first. A page of a search may be short, or empty, and still have a `next`. Requires the role companyAdmin.',
      example: { url: { category: 'all', limit: '10' } },
      parameters: { ...filterParameters, ...pageParameters },
      answer: Type.Object({ optOuts: Type.Array(optOut), next: nextOf('opt-outs') }),
      errors: ['role_missing', 'invalid_number', 'invalid_time'],
      async handle(caller, { after, limit, ...given }) {
        requireRole(caller, 'companyAdmin');
        const { companyId, userId } = caller;
        const search = { ...filterOf(caller, given), companyId, secret, behind: behindOf(after), limit };
        const { rows, next } = await store.read(searchOptOuts, search);
        const phones = rows.filter(({ erased }) => !erased).map(({ phone }) => phone);
        const names = await namesOfNumbers(store, userId, phones);
        return {
          optOuts: rows.map((row) => shownOptOut(row, names)),
          next: next === null ? undefined : `${next.at}.${next.id}`,
        };
      },
    }),
    endpoint({
      ...common,
      path: `${path}/{id}`,
      methods: ['GET'],
      operation: 'getOptOut',
      title: 'Read an opt-out',
      description: 'Returns one opt-out with its proof. Requires the role companyAdmin.',
      example: { url: { id: '1' } },
      parameters: { id },
      answer: optOut,
      errors: ['role_missing', 'not_found'],
      async handle(caller, { id: given }) {
        requireRole(caller, 'companyAdmin');
        const { companyId, userId } = caller;
        const found = await store.read(readOptOut, { companyId, id: Number(given) });
        if (found === null) throw noOptOut(given);
        return shownOptOut(found, await namesOfNumbers(store, userId, found.erased ? [] : [found.phone]));
      },
    }),
  ] as const;
}

function changingEndpoints({ store, clock, secret }: OptOutServices) {
  return [
    endpoint({
      ...common,
      path,
      methods: ['POST'],
      operation: 'createOptOut',
      creates: 'id',
      title: 'Add an opt-out',
      description:
        'Adds an opt-out of a number, for somebody who said so by another way than an SMS. One that is there stays as it is, with its proof. Requires the role companyAdmin.',
      example: { json: { number: exampleNumber, category: 'marketing', proof: 'By phone, 24 November' } },
      parameters: {
        number: text({ required: true, maxLength: 100, description: 'Phone number.' }),
        category: word(optOutCategories, { default: 'all', description: 'What the person does not want.' }),
        since: ruled(
          text({ maxLength: 50, description: 'Since when (ISO 8601 with zone); by default, from now on.' }),
          parseTime,
        ),
        proof: text({ default: '', maxLength: maxProofLength, description: 'How it is known.' }),
        defaultCountryCode,
      },
      answer: Type.Object({
        ...optOutFields,
        added: Type.Boolean({ description: 'False if it was there before.' }),
      }),
      errors: ['role_missing', 'invalid_number', 'invalid_time'],
      async handle(caller, { number: given, category, since, proof, defaultCountryCode: code }) {
        requireRole(caller, 'companyAdmin');
        const { companyId, username, session } = caller;
        const now = clock.now();
        if (since !== undefined && (since > now || since < 0))
          throw errorOfFields(fault('invalid_time', { sentence: 'time_not_past' }), 'since');
        const phone = numberIn(caller, 'number', given, code);
        const { channel } = byUser(caller);
        const [kept] = await store.write(addOptOuts, {
          companyId,
          by: { username, session },
          now,
          secret,
          optOuts: [{ phone, category, since, proof, source: channel === 'operator' ? 'portal' : channel }],
        });
        announceHint(store, companyId, optOutsHint);
        const found = await store.read(readOptOut, { companyId, id: kept?.id ?? 0 });
        if (found === null) throw noOptOut(phone);
        return { ...shownOptOut(found), added: kept?.isNew === true };
      },
    }),
    endpoint({
      ...common,
      path: `${path}/{id}`,
      methods: ['DELETE'],
      operation: 'deleteOptOut',
      title: 'Remove an opt-out',
      description:
        'Removes an opt-out, so that its person gets SMS again. The audit log keeps the reason. Requires the role companyAdmin.',
      example: { url: { id: '1', reason: 'Signed up again' } },
      parameters: {
        id,
        reason: text({
          get: 'reason',
          required: true,
          minLength: 3,
          maxLength: 150,
          description: 'Why: for the audit log.',
        }),
      },
      answer: Type.Object({ id: Type.String() }),
      errors: ['role_missing', 'not_found'],
      async handle(caller, { id: given, reason }) {
        requireRole(caller, 'companyAdmin');
        const { companyId, username, session } = caller;
        const removal = { companyId, id: Number(given), by: { username, session }, now: clock.now(), reason };
        if ((await store.write(removeOptOut, removal)) === null) throw noOptOut(given);
        announceHint(store, companyId, optOutsHint);
        return { id: given };
      },
    }),
  ] as const;
}

/** The files come before an opt-out of their name. */
function fileEndpoints(services: OptOutServices) {
  return [
    endpoint({
      ...common,
      path: `${path}.csv`,
      methods: ['GET'],
      operation: 'exportOptOuts',
      title: 'Export opt-outs',
      description:
        'Returns the opt-outs found as CSV that can be imported again, without those of erased people. The audit log records the export. Requires the role companyAdmin.',
      example: { url: {} },
      parameters: { ...filterParameters, language: languageParameter },
      answer: Type.String(),
      answersCsv: true,
      errors: ['role_missing', 'invalid_number', 'invalid_time'],
      handle: (caller, { language, ...given }, call) =>
        exportOptOuts(services, caller, filterOf(caller, given), language ?? call.language),
    }),
    endpoint({
      ...common,
      path: `${path}/import`,
      methods: ['POST'],
      operation: 'importOptOuts',
      title: 'Import opt-outs',
      description: `Adds opt-outs from a CSV file with the columns \`number\`, \`category\`, \`since\` and \`proof\`, of which only the first is needed; or with numbers alone. All rows are checked first: if any has a fault, nothing is added, unless \`skipFaulty\` is given. Importing a file again adds nothing. At most ${maxRows} rows and 2 MiB. Requires the role companyAdmin.`,
      credentials: anyMethodBesideLines,
      example: { url: {}, lines: `number,category\n${exampleNumber},marketing\n` },
      parameters: {
        dryRun: boolean({ get: 'dryRun', default: false, description: 'Checks only, and adds nothing.' }),
        skipFaulty: boolean({
          get: 'skipFaulty',
          default: false,
          description: 'Adds the other rows even if some have faults.',
        }),
        defaultCountryCode,
      },
      body: 'lines',
      maxBodyBytes: maxFileBytes,
      answer: Type.Object({
        rows: Type.Integer(),
        added: Type.Integer({ description: 'With `dryRun`: that would be added.' }),
        unchanged: Type.Integer({ description: 'Opt-outs that were there before.' }),
        faulty: Type.Integer({ description: 'Rows with faults.' }),
        faults: Type.Array(
          Type.Object({
            line: Type.Integer(),
            cause: Type.Unsafe<RowFault>({
              type: 'string',
              enum: [...rowFaults],
              description: 'What is wrong. `countryCode`: the number begins with 0, and no code is known.',
            }),
          }),
          { description: `The first ${maxShownFaults}.` },
        ),
      }),
      errors: ['role_missing'],
      async handle(caller, { dryRun, skipFaulty, defaultCountryCode: code }, { lines: bytes }) {
        const file = { bytes, countryCode: countryCodeOf(caller, code), skipFaulty, dryRun };
        const { faults, ...counts } = await importOptOuts(services, caller, file);
        return { ...counts, faults: [...faults] };
      },
    }),
  ] as const;
}

const nearMissFields = {
  id: Type.String({ description: 'Id of the SMS.' }),
  number: Type.String({ description: 'Phone number.' }),
  name: Type.Optional(Type.String({ description: 'Name in an address book of the caller.' })),
  to: Type.String({ description: 'Our number.' }),
  time: Type.String({ description: 'ISO 8601, UTC.' }),
  message: Type.String(),
  settledBy: Type.Optional(Type.String({ description: 'User who has decided.' })),
  optsOut: Type.Optional(Type.Boolean({ description: 'What was decided.' })),
};

function shownNearMiss(row: NearMiss, names: ReadonlyMap<string, string> = new Map()) {
  return {
    id: String(row.incomingId),
    number: row.phone,
    name: names.get(row.phone),
    to: row.number,
    time: iso(row.at),
    message: row.text,
    settledBy: row.settledBy ?? undefined,
    optsOut: row.optsOut ?? undefined,
  };
}

function nearMissEndpoints({ store, clock, secret }: OptOutServices) {
  return [
    endpoint({
      ...common,
      path: `${path}/nearmisses`,
      methods: ['GET'],
      operation: 'listNearMisses',
      title: 'List near misses',
      description:
        'Lists incoming SMS that may mean an opt-out but are not one of its words, and about which nobody has decided yet, latest first. Requires the role companyAdmin.',
      example: { url: {} },
      parameters: pageParameters,
      answer: Type.Object({
        nearMisses: Type.Array(Type.Object(nearMissFields, { title: 'NearMiss' })),
        next: nextOf('near misses'),
      }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        requireRole(caller, 'companyAdmin');
        const { companyId, userId } = caller;
        const page = { companyId, behind: behindOf(after), limit: limit + 1 };
        const rows = await store.read(listNearMisses, page);
        const { items, next } = pageOf(rows, limit, ({ at, incomingId }) => `${at}.${incomingId}`);
        const phones = items.map(({ phone }) => phone);
        const names = await namesOfNumbers(store, userId, phones);
        return { nearMisses: items.map((row) => shownNearMiss(row, names)), next };
      },
    }),
    endpoint({
      ...common,
      path: `${path}/nearmisses/{id}/settle`,
      methods: ['POST'],
      operation: 'settleNearMiss',
      title: 'Decide about a near miss',
      description:
        'Decides whether an SMS opts out, of all SMS of the company. The first decision counts, and is answered to later ones. Requires the role companyAdmin.',
      example: { url: { id: '1000000001' }, json: { optsOut: false } },
      parameters: {
        id: digits({ get: 'id', required: true, description: 'Id of the SMS.' }),
        optsOut: boolean({ required: true, description: 'Whether it opts out.' }),
      },
      answer: Type.Object(nearMissFields, { title: 'NearMiss' }),
      errors: ['role_missing', 'not_found'],
      async handle(caller, { id: given, optsOut }) {
        requireRole(caller, 'companyAdmin');
        const { companyId, username, session } = caller;
        const by = { username, session };
        const settling = { companyId, incomingId: Number(given), optsOut, by, now: clock.now(), secret };
        const settled = await store.write(settleNearMiss, settling);
        if (settled === null)
          throw new ServiceError('not_found', { sentence: 'none_such', noun: 'near miss', id: given });
        announceHint(store, companyId, optOutsHint);
        return shownNearMiss(settled);
      },
    }),
  ] as const;
}
