/** The endpoints of the management API by which a company keeps its saved texts. */
import Type from 'typebox';
import { ofOwnCompany } from '../resources/api-declaration.ts';
import { ResourceApi } from '../resources/resource-api.ts';
import type { Context } from '../storage/context.ts';
import { fieldsOf, type TemplateField } from '../wire/sms/substitution.ts';
import { templates } from './template.ts';

const placeholder = Type.Object(
  {
    label: Type.String({ description: 'What `subst` of `/send` has a text for.' }),
    kind: Type.Unsafe<TemplateField['kind']>({ type: 'string', enum: ['text', 'datetime'] }),
    description: Type.Optional(Type.String({ description: 'What the template says of it.' })),
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
    key: { name: 'id', description: 'Id of the template.', shown: 'What `templateid` of `/send` takes.' },
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
          description: 'Its placeholders, each once: a form for it has these fields.',
        }),
      },
      show: ({ name, text }) => ({ name, text, fields: [...fieldsOf(text)] }),
    },
    list: {
      description: 'Lists the saved texts of the company in the order of their ids, with how each begins.',
      example: { url: {} },
    },
    create: {
      description:
        'Saves a text that all users of the company may send by its id. Requires the role companyAdmin.',
      example: { json: { name: 'Reminder', text: 'Dear {Text:name}, we expect you on {DateTime:when}.' } },
    },
    get: {
      description: 'Gives a saved text with the fields that a form for it has.',
      example: { url: { id: '1001' } },
    },
    change: {
      description:
        'Changes what is given, and keeps what was as a former version. What is sent from then on has the new text; what waits already keeps its own.',
      example: { url: { id: '1001' }, json: { name: 'Visit' } },
    },
    remove: {
      description: 'Removes a saved text with its versions. Calls that name it are refused from then on.',
      example: { url: { id: '1001' } },
    },
  });
  // Longer paths come first in the docs, so that what removes a template comes last.
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
