/** A company's saved texts, which its users send by id (API: /send, `templateid`), and their former versions. */
import { fault, type Result, success } from '../foundation/result.ts';
import { inCompany, objectName } from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import { normaliseText } from '../wire/sms/normalise.ts';
import { longestText } from '../wire/sms/segments.ts';
import { faultOfLabel, parseTemplate } from '../wire/sms/substitution.ts';

/** The text as it is sent. A placeholder that no call could fill is refused. */
function templateText(given: string): Result<string> {
  const text = normaliseText(given);
  if (text === '') return fault('no_text', 'The text of the template is empty.');
  for (const label of parseTemplate(text).placeholders) {
    const wrong = faultOfLabel(label);
    if (wrong !== undefined) return wrong;
  }
  return success(text);
}

const fields = {
  name: { description: 'Name for people.', minLength: 1, maxLength: 100, rule: objectName },
  text: {
    description:
      'The text of the SMS, with placeholders such as `{Text:name}`, `{Text:name:what it is}` and `{DateTime:when}`.',
    maxLength: longestText,
    codeOfLength: 'text_too_long',
    rule: templateText,
    codes: ['no_text'],
    listedLength: 100,
  },
} as const;

export const templates = new Resource<typeof fields, number>({
  noun: 'template',
  plural: 'templates',
  table: 'templates',
  scope: inCompany,
  isListedByName: true,
  ids: { name: 'template', first: 100_001 },
  fields,
  history: { table: 'template_versions', keep: 100 },
  news: 'templates',
  details: ({ name, version }) => (version === '1' ? name : `${name}, version ${version}`),
});

/** The text that is sent by a call that names the template. */
export const findTemplateText = readVerb(
  'templates.findText',
  async (
    reading,
    { companyId, id }: { readonly companyId: number; readonly id: number },
  ): Promise<string | undefined> =>
    (
      await reading.first<{ text: string }>(
        sql`SELECT text FROM templates WHERE company_id = ${companyId} AND id = ${id}`,
      )
    )?.text,
);
