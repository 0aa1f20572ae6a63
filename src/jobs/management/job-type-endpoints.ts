/**
 * The management API endpoints that list the types of saved jobs, and with which administrators make, change and remove those
 * of their company.
 */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, integer, text, word } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import {
  inOrderOfLanguage,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
} from '../../http/parameters/page.ts';
import { clearable, ruled } from '../../http/parameters/parameter.ts';
import { boundsOfMessage } from '../../messages/sending/parameters.ts';
import { ofOwnCompany } from '../../resources/api-declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import type { Context } from '../../storage/context.ts';
import { languages } from '../../wire/answers/words.ts';
import { categories } from '../../wire/category.ts';
import { maxFilterLength, normalTagFilter } from '../../wire/tag-filter.ts';
import { type CompanyType, companyTypes } from '../company-type.ts';
import {
  generics,
  maxMinutes,
  standardType,
  standardTypesBehind,
  type TextName,
  textNames,
} from '../job-type.ts';
import { settingFields, shownSettings, shownType, typeFields } from './shown-job.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/jobtypes';
const group = 'Saved jobs';

const minutes = (description: string) => clearable(integer({ min: 1, max: maxMinutes, description }));
const flag = (description: string) => clearable(boolean({ description }));
const words = (description: string) =>
  clearable(ruled(textList({ maxItems: 100, maxLength: 40, description }), eachWord));
const textDescriptions: Readonly<Record<TextName, string>> = {
  assignedText: 'Text for those who get a place.',
  declinedText: 'Text after a NO.',
  filledText: 'Text after a YES when all places are filled.',
  reserveText: 'Text for reserves.',
  promotedText: 'Text for reserves who get a place.',
  lateText: 'Text after a YES that comes too late.',
  unneededText: 'Text for those who are no longer needed.',
  helpText: 'Text after a comment: how to answer.',
  reminderText: 'Text that reminds those who stay silent.',
  canceledText: 'Text for those who have answered when the run is cancelled.',
  codeText: 'Text of a question with a code.',
  whichText: 'Text that asks which run is meant.',
};
const texts = Object.fromEntries(
  textNames.map((name) => [
    name,
    clearable(
      text({ ...boundsOfMessage, description: `${textDescriptions[name]} Default: in the language.` }),
    ),
  ]),
) as Record<TextName, ReturnType<typeof clearable<string | undefined>>>;

const genericOf = <const Required extends boolean>(required: Required) =>
  word(generics, {
    required,
    description: 'GMM asks everyone at the same time; GMA fills places level by level.',
  });

/** Named like the keys of a provisioning file. */
const settings = {
  language: clearable(word(languages, { description: 'Language of the texts.' })),
  expiryMinutes: minutes('Minutes from the start of a run to its end.'),
  warningMinutes: minutes('Minutes from the start to the warning.'),
  reminderMinutes: minutes('Minutes from the question to the reminder.'),
  globalTagFilter: clearable(
    ruled(text({ maxLength: maxFilterLength, description: 'Who may be asked (GMA).' }), normalTagFilter),
  ),
  yes: words('Words for YES that replace those of all languages.'),
  no: words('Words for NO that replace those of all languages.'),
  digits: flag('Whether 1 counts as YES, and 2 and 0 as NO.'),
  openEarly: flag('Whether the next level opens early if too few people can still answer.'),
  wave: clearable(
    integer({
      min: 1,
      max: 100,
      description: 'How many people are asked at a time, as a multiple of the open places.',
    }),
  ),
  waveMinutes: minutes('Minutes from one wave to the next.'),
  reserve: clearable(integer({ max: 1_000, description: 'How many people are kept as reserves.' })),
  tellUnneeded: flag('Whether people who have not answered are told that no one else is needed.'),
  poolExhausted: clearable(
    word(['partial', 'refuse'], { description: 'What happens if the pool has no number for some people.' }),
  ),
  category: clearable(
    word(categories, { description: 'Category of the messages; by default that of the starting account.' }),
  ),
  ...texts,
} as const;

export function jobTypeEndpoints(services: Context) {
  const api = new ResourceApi(companyTypes, services, {
    path,
    group,
    type: 'JobType',
    access: ofOwnCompany({ readers: ['companyAdmin'], writers: ['companyAdmin'] }),
    plural: 'types',
    key: { name: 'name', description: 'Name of the type.' },
    listed: shape,
    shown: shape,
    more: {
      create: { generic: genericOf(true), ...settings },
      change: { generic: genericOf(false), ...settings },
    },
    get: {
      description:
        'Returns a type that the company has made, as it is edited. A built-in type is only in the list. Requires the role companyAdmin.',
      example: { url: { name: 'Night call' } },
    },
    create: {
      description:
        'Makes a type for the saved jobs of the company. One with the name of a built-in type takes its place. Requires the role companyAdmin.',
      example: { json: { name: 'Night call', generic: 'GMA', expiryMinutes: 45, reserve: 1 } },
      errors: ['too_many_job_types', 'in_use', 'text_too_long', 'invalid_tag_filter'],
    },
    change: {
      description:
        'Changes the given fields and keeps the rest; runs under way keep the settings that they started with. What a provisioning file has set can be changed only by a provisioning file. Requires the role companyAdmin.',
      example: { url: { name: 'Night call' }, json: { reminderMinutes: 5 } },
      errors: ['in_use', 'text_too_long', 'invalid_tag_filter'],
    },
    remove: {
      description:
        'Removes a type that no saved job has. If the name is that of a built-in type, jobs have that one from then on. Requires the role companyAdmin.',
      example: { url: { name: 'Night call' } },
      errors: ['in_use'],
    },
  });
  return [listEndpoint(services), api.create(), api.get(), api.change(), api.remove()] as const;
}

const shape = {
  properties: {
    ...settingFields,
    ...(Object.fromEntries(
      textNames.map((name) => [name, Type.Optional(Type.String({ description: textDescriptions[name] }))]),
    ) as Record<TextName, ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>>>),
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
  },
  show({ settings: kept, managedFields }: CompanyType) {
    const own = Object.fromEntries(textNames.map((name) => [name, kept[name]]));
    return {
      ...shownSettings(kept),
      ...(own as Readonly<Record<TextName, string | undefined>>),
      managedKeys: managedFields.filter((key) => key !== 'name'),
    };
  },
};

/** Marks a cursor among the names of the built-in types, which come first. */
const builtIn = 1;

function listEndpoint({ store }: Context) {
  const item = {
    ...typeFields,
    builtIn: Type.Boolean({ description: 'Whether every company has the type.' }),
    managed: Type.Boolean({ description: 'Whether a provisioning file names the type.' }),
  };
  return endpoint({
    path,
    methods: ['GET'],
    group,
    credentials: anyMethod,
    operation: 'listJobTypes',
    title: 'List types of saved jobs',
    description: `Lists the built-in types, or the company’s own types in their places, then its other types by name, each with the settings for its runs, but without its texts. ${inOrderOfLanguage}`,
    example: { url: {} },
    parameters: namePageParameters,
    answer: Type.Object({
      types: Type.Array(Type.Object(item, { title: 'ListedJobType' })),
      next: nextOf('types'),
    }),
    errors: ['role_missing'],
    async handle(caller, { after, limit }, { language }) {
      requireRole(caller, 'jobs', 'companyAdmin');
      const { companyId } = caller;
      const first = { language: after?.language ?? language };
      const isAmongBuiltIn = after === undefined || after.id === builtIn;
      const behind = isAmongBuiltIn ? standardTypesBehind(after?.name) : [];
      const from = isAmongBuiltIn ? first : after;
      // A name has one place in the list, even if the company replaces the type between two pages.
      const rows = await Promise.all(
        behind.map(async (type) => {
          const own = await store.read(companyTypes.find, { scopeId: companyId, key: type.name });
          return own === null ? { ...shownType(type), builtIn: true, managed: false } : shownOwn(own);
        }),
      );
      const isStandard = (name: string) => standardType(name) !== undefined;
      const most = limit + 1 + standardTypesBehind().length;
      for (const own of await store.read(companyTypes.list, { scopeId: companyId, from, limit: most }))
        if (!isStandard(own.key)) rows.push(shownOwn(own));
      const { items, next } = pageOf(rows, limit, ({ name }) =>
        nameCursor(first)(isStandard(name) ? { name, id: builtIn } : { name }),
      );
      return { types: items, next };
    },
  });
}

function shownOwn({ key, settings: kept, managed }: CompanyType) {
  return { ...shownType({ name: key, settings: kept }), builtIn: false, managed };
}

/** An empty list replaces no words. */
function eachWord(given: readonly string[]): Result<readonly string[] | null> {
  if (given.some((one) => one.trim() === '')) return fault('invalid_value', { sentence: 'name_blank' });
  if (given.some((one) => /[\p{Cc}\p{Cs}]/u.test(one)))
    return fault('invalid_value', { sentence: 'control_characters' });
  return success(given.length === 0 ? null : given);
}
