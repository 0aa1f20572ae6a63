/** A saved text in place of an own one: chosen, and its placeholders as the fields of a form. */
import { useList, useRead } from '../api/queries.ts';
import { SelectField, TextField } from '../design/field.tsx';
import type { Draft } from './draft.ts';
import { useComposeWords } from './texts.ts';

interface FormPart {
  readonly draft: Draft;
  readonly change: (some: Partial<Draft>) => void;
}

/** Whoever has more finds the others by the page of templates. */
const most = 200;

/** Labels of the fields in which nothing stands. */
export function blankFields(draft: Draft, fields: readonly { readonly label: string }[]): readonly string[] {
  return fields.map(({ label }) => label).filter((label) => (draft.fields[label] ?? '').trim() === '');
}

export function useTemplate({ templateId }: Draft) {
  return useRead('/api/v1/templates/{id}', { id: templateId }, { enabled: templateId !== '' });
}

export function TemplateFields({ draft, change }: FormPart) {
  const words = useComposeWords();
  const { items } = useList('/api/v1/templates', 'templates', { limit: most });
  const { data: template, error } = useTemplate(draft);
  if (items.length === 0 && draft.templateId === '') return null;
  return (
    <>
      <SelectField
        label={words.template}
        value={draft.templateId}
        error={draft.templateId === '' ? undefined : error}
        onChange={(event) => change({ templateId: event.target.value, fields: {} })}
      >
        <option value="">{words.ownText}</option>
        {items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {draft.templateId !== '' &&
        template?.fields.map(({ label, description, kind }) => (
          <TextField
            key={label}
            label={label}
            hint={description ?? (kind === 'datetime' ? words.dateTimeHint : undefined)}
            value={draft.fields[label] ?? ''}
            onChange={(event) => change({ fields: { ...draft.fields, [label]: event.target.value } })}
          />
        ))}
    </>
  );
}
