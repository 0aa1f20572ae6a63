/** Templates of a company in a provisioning file. */
import {
  putTemplates,
  readTemplates,
  removeTemplates,
  type TemplateRecord,
} from '../../templates/template-records.ts';
import { faultOfLabel, maxLabelLength } from '../../wire/sms/substitution.ts';
import { parseTemplate } from '../../wire/sms/template-text.ts';
import { needed, optional, text } from '../../yaml/fields.ts';
import { type Kind, namedIn } from '../objects/kind.ts';
import { line, mapEdit } from '../objects/line.ts';
import { givenId, name, remove } from '../objects/login-fields.ts';
import { textToSend } from '../objects/message-text.ts';
import { type Planned, planned } from '../objects/planned.ts';

interface TemplatePlan extends Planned, TemplateRecord {}

const templateText = text((written) => {
  const checked = textToSend(written);
  if ('wrong' in checked) return checked;
  // No call could fill it.
  if (parseTemplate(written).placeholders.some((label) => faultOfLabel(label) !== undefined))
    return { wrong: `must not hold a label of more than ${maxLabelLength} characters` };
  return checked;
});

export const templates: Kind<TemplatePlan, TemplateRecord> = {
  section: 'templates',
  within: 'company',
  noun: 'this template',
  /** One that is to go needs its id only. */
  read: planned(
    { id: needed(givenId, 0), name: optional(name, ''), text: optional(templateText, ''), remove },
    { needs: ['name', 'text'] },
  ),
  keyField: 'id',
  keyOf: ({ company, id }) => `${id} ${company}`,
  load: (reading, scope) => readTemplates(reading, namedIn(scope, 'companies').keys),
  after: ({ company, id, name, text }) => ({ company, id, name, text }),
  describe: (edits, audience) =>
    edits.map((edit) =>
      line(
        // A text may have several lines.
        mapEdit(edit, (template) => ({ ...template, text: JSON.stringify(template.text) })),
        ({ id, company }) => `template ${id} in ${company}`,
        { keys: ['id', 'company'], hidden: audience === 'log' ? ['text'] : [] },
      ),
    ),
  create: putTemplates,
  change: putTemplates,
  remove: removeTemplates,
  news: ['templates'],
};
