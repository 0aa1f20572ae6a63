/** The management API's endpoints for a company's saved texts. */
import Type from 'typebox';
import { ofOwnCompany } from '../resources/api-declaration.ts';
import { ResourceApi } from '../resources/resource-api.ts';
import type { Context } from '../storage/context.ts';
import { fieldsOf, type TemplateField } from '../wire/sms/substitution.ts';
import { templates } from './template.ts';

const placeholder = Type.Object(
  {
    label: Type.String({ description: 'The name used in `subst` of `/send`.' }),
    kind: Type.Unsafe<TemplateField['kind']>({ type: 'string', enum: ['text', 'datetime'] }),
    description: Type.Optional(
      Type.String({ description: 'Description of the placeholder in the template.' }),
    ),
  },
  { title: 'TemplateField' },
);

export function templateEndpoints(services: Context) {
  const api = new ResourceApi(templates, services, {
    path: '/api/v1/templates',
    group: 'Templates',
    type: 'Template',
    access: ofOwnCompany({ readers: ['send', 'jobs', 'companyAdmin'], writers: ['companyAdmin'] }),
    plural: 'templates',
    key: { name: 'id', description: 'Id of the template.', shown: 'The value for `templateid` of `/send`.' },
    listed: {
      properties: {
        name: Type.String(),
        beginning: Type.String({ description: 'The first 100 characters of the text.' }),
      },
      show: ({ name, text }) => ({ name, beginning: text }),
    },
    shown: {
      properties: {
        name: Type.String(),
        text: Type.String(),
        fields: Type.Array(placeholder, {
          description:
            'The placeholders in the text, without duplicates: the fields of a form for the template.',
        }),
      },
      show: ({ name, text }) => ({ name, text, fields: [...fieldsOf(text)] }),
    },
    list: {
      description: 'Lists the company’s templates by name, each with the beginning of its text.',
      example: { url: {} },
    },
    create: {
      description:
        'Saves a text that all users of the company can send by its id. Requires the role companyAdmin.',
      example: { json: { name: 'Reminder', text: 'Dear {Text:name}, we expect you on {DateTime:when}.' } },
    },
    get: {
      description: 'Returns a template with its placeholders.',
      example: { url: { id: '1001' } },
    },
    change: {
      description:
        'Changes the given fields and keeps the previous state as a former version. Messages sent from then on use the new text; waiting messages keep the old text.',
      example: { url: { id: '1001' }, json: { name: 'Visit' } },
    },
    remove: {
      description: 'Removes a template with its versions. Calls that use it are refused from then on.',
      example: { url: { id: '1001' } },
    },
  });
  // The docs list longer paths first, so the call that removes a template comes last.
  return [
    api.list(),
    api.create(),
    api.versions(),
    api.version(),
    api.get(),
    api.change(),
    api.remove(),
  ] as const;
}
