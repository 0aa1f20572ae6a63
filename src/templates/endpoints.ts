/** The endpoints of the management API by which a company keeps its saved texts. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { digits, integer, text } from '../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { ruled } from '../http/parameters/parameter.ts';
import { longestText } from '../wire/sms/segments.ts';
import { fieldsOf, type TemplateField } from '../wire/sms/template-text.ts';
import {
  type Administering,
  changeSavedTemplate,
  makeTemplate,
  pageOfTemplates,
  readTemplate,
  readVersion,
  readVersions,
  removeSavedTemplate,
} from './administer-templates.ts';
import { beginningLength } from './store.ts';
import {
  maxFormerVersions,
  maxTemplateName,
  type Template,
  type TemplateVersion,
  templateText,
} from './template.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Templates';
const path = '/api/v1/templates';
const errors = ['role_missing', 'not_found'] as const;

const id = digits({ get: 'id', required: true, description: 'Id of the template.' });
const version = integer({
  get: 'version',
  description:
    'The version that the change is of: it is refused where somebody else has changed the template since. Left out, it is made in any case.',
});

const versionFields = {
  version: Type.Integer({ description: 'From 1 on; each change makes the next.' }),
  name: Type.String(),
  changed: Type.Optional(Type.String({ description: 'When (ISO 8601, UTC); absent where it is not known.' })),
  username: Type.Optional(
    Type.String({ description: 'Who made it so; absent for a provisioning file, or where it is not known.' }),
  ),
};
const listedFields = {
  ...versionFields,
  beginning: Type.String({ description: `Of the text, at most ${beginningLength} characters.` }),
};
const managed = Type.Boolean({ description: 'A provisioning file manages it, which alone can change it.' });
const field = Type.Object(
  {
    label: Type.String({ description: 'What `subst` of `/send` has a text for.' }),
    kind: Type.Unsafe<TemplateField['kind']>({ type: 'string', enum: ['text', 'datetime'] }),
    description: Type.Optional(Type.String({ description: 'What the template says of it.' })),
  },
  { title: 'TemplateField' },
);
const shown = Type.Object(
  {
    id: Type.String({ description: 'What `templateid` of `/send` takes.' }),
    ...versionFields,
    text: Type.String(),
    fields: Type.Array(field, {
      description: 'Its placeholders, each once: a form for it has these fields.',
    }),
    managed,
  },
  { title: 'Template' },
);

function versionOf({ version, name, changedAt, changedBy }: TemplateVersion) {
  const changed = changedAt === null ? undefined : new Date(changedAt).toISOString();
  return { version, name, changed, username: changedBy ?? undefined };
}

function shownTemplate(template: Template) {
  const { id, text, managed } = template;
  return { id: String(id), ...versionOf(template), text, fields: fieldsOf(text), managed };
}

/** `GET …/{id}` and its like stand behind the paths below it, so that what removes a template comes last. */
export function templateEndpoints(administering: Administering) {
  return [
    ...listEndpoints(administering),
    ...versionEndpoints(administering),
    ...oneEndpoints(administering),
  ] as const;
}

const nameParameter = { minLength: 1, maxLength: maxTemplateName, description: 'What people know it by.' };
const textParameter = {
  maxLength: longestText,
  codeOfLength: 'text_too_long',
  description:
    'The text of the SMS, with placeholders such as `{Text:name}`, `{Text:name:what it is}` and `{DateTime:when}`.',
} as const;

function listEndpoints(administering: Administering) {
  return [
    endpoint({
      path,
      methods: ['GET'],
      group,
      operation: 'listTemplates',
      title: 'List templates',
      description: 'Lists the saved texts of the company in the order of their ids, with how each begins.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: pageParameters,
      answer: Type.Object({
        templates: Type.Array(
          Type.Object({ id: Type.String(), ...listedFields, managed }, { title: 'ListedTemplate' }),
        ),
        next: nextOf('templates'),
      }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        const page = { after: after?.id ?? 0, limit: limit + 1 };
        const rows = await pageOfTemplates(administering, caller, page);
        const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
        const templates = items.map((one) => ({
          id: String(one.id),
          ...versionOf(one),
          beginning: one.text,
          managed: one.managed,
        }));
        return { templates, next };
      },
    }),
    endpoint({
      path,
      methods: ['POST'],
      group,
      operation: 'createTemplate',
      title: 'Make a template',
      description: 'Saves a text that all users of the company may send by its id. Administrators do.',
      example: { json: { name: 'Reminder', text: 'Dear {Text:name}, we expect you on {DateTime:when}.' } },
      credentials: anyMethod,
      parameters: {
        name: text({ ...nameParameter, required: true }),
        text: ruled(text({ ...textParameter, required: true }), templateText),
      },
      answer: shown,
      errors: ['role_missing', 'no_text', 'text_too_long'],
      handle: async (caller, input) => shownTemplate(await makeTemplate(administering, caller, input)),
    }),
  ] as const;
}

function versionEndpoints(administering: Administering) {
  return [
    endpoint({
      path: `${path}/{id}/versions`,
      methods: ['GET'],
      group,
      operation: 'listTemplateVersions',
      title: 'List the versions of a template',
      description: `Lists what a template is and was, the latest first. The last ${maxFormerVersions} former versions are kept.`,
      example: { url: { id: '1001' } },
      credentials: anyMethod,
      parameters: { id },
      answer: Type.Object({
        versions: Type.Array(Type.Object(listedFields, { title: 'ListedTemplateVersion' })),
      }),
      errors,
      async handle(caller, input) {
        const versions = await readVersions(administering, caller, input);
        return { versions: versions.map((one) => ({ ...versionOf(one), beginning: one.text })) };
      },
    }),
    endpoint({
      path: `${path}/{id}/versions/{version}`,
      methods: ['GET'],
      group,
      operation: 'getTemplateVersion',
      title: 'Read one version of a template',
      description: 'Gives the text of a template as it is, or as it was.',
      example: { url: { id: '1001', version: '1' } },
      credentials: anyMethod,
      parameters: {
        id,
        version: integer({ get: 'version', required: true, min: 1, description: 'Its number.' }),
      },
      answer: Type.Object({ ...versionFields, text: Type.String() }, { title: 'TemplateVersion' }),
      errors,
      async handle(caller, input) {
        const found = await readVersion(administering, caller, input);
        return { ...versionOf(found), text: found.text };
      },
    }),
  ] as const;
}

function oneEndpoints(administering: Administering) {
  return [
    endpoint({
      path: `${path}/{id}`,
      methods: ['GET'],
      group,
      operation: 'getTemplate',
      title: 'Read a template',
      description: 'Gives a saved text with the fields that a form for it has.',
      example: { url: { id: '1001' } },
      credentials: anyMethod,
      parameters: { id },
      answer: shown,
      errors,
      handle: async (caller, input) => shownTemplate(await readTemplate(administering, caller, input)),
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['POST'],
      group,
      operation: 'updateTemplate',
      title: 'Change a template',
      description:
        'Changes what is given, and keeps what was as a former version. What is sent from then on has the new text; what waits already keeps its own.',
      example: { url: { id: '1001' }, json: { name: 'Visit' } },
      credentials: anyMethod,
      parameters: {
        id,
        name: text(nameParameter),
        text: ruled(text(textParameter), templateText),
        version,
      },
      answer: shown,
      errors: [...errors, 'managed', 'changed_meanwhile', 'no_text', 'text_too_long'],
      handle: async (caller, input) => shownTemplate(await changeSavedTemplate(administering, caller, input)),
    }),
    endpoint({
      path: `${path}/{id}`,
      methods: ['DELETE'],
      group,
      operation: 'deleteTemplate',
      title: 'Remove a template',
      description: 'Removes a saved text with its versions. Calls that name it are refused from then on.',
      example: { url: { id: '1001' } },
      credentials: anyMethod,
      parameters: { id, version },
      answer: Type.Object({ id: Type.String() }),
      errors: [...errors, 'managed', 'changed_meanwhile'],
      async handle(caller, input) {
        await removeSavedTemplate(administering, caller, input);
        return { id: input.id };
      },
    }),
  ] as const;
}
