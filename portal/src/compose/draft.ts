/** The content of the compose form, and the `/send` call that it represents. Pure. */
import { compileTemplate, parseTemplate } from '../../../src/wire/sms/substitution.ts';
import type { Recipient } from '../sending/recipient.ts';
import type { RecipientsDraft } from '../sending/recipients-field.tsx';
import { timeOf } from '../words/times.ts';

export interface Draft extends RecipientsDraft {
  readonly message: string;
  /** Empty if the text is typed in the form. */
  readonly templateId: string;
  /** Field values by label. */
  readonly fields: Readonly<Record<string, string>>;
  readonly from: string;
  readonly twoWay: boolean;
  readonly flash: boolean;
  /** Value of a date-time field, in the user's time zone. Empty means at once. */
  readonly at: string;
  readonly costCenter: string;
}

export const blankDraft: Draft = {
  recipients: [],
  countryCode: '',
  message: '',
  templateId: '',
  fields: {},
  from: '',
  twoWay: false,
  flash: false,
  at: '',
  costCenter: '',
};

/** Fills in the text once for all recipients, because people in the address book all get the same text. */
export function filled(text: string, fields: Draft['fields']): string {
  const { fill } = compileTemplate(parseTemplate(text), Object.keys(fields), true);
  return fill(Object.values(fields));
}

export type SendParameters = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** `text` is the text to send, with the template filled in. Parameters without a value are left out. */
export function parametersOf(draft: Draft, text: string): SendParameters {
  const valuesOf = (kind: Recipient['kind']) => {
    const values = draft.recipients.filter((one) => one.kind === kind).map(({ value }) => value);
    return values.length === 0 ? undefined : values;
  };
  return {
    to: valuesOf('number'),
    toaddressbookcustomtagfilter: valuesOf('filter')?.[0],
    toaddressbooksavedtagfilters: valuesOf('saved'),
    toaddressbookgroups: valuesOf('group'),
    message: text,
    defaultcountrycode: draft.countryCode || undefined,
    from: draft.twoWay ? undefined : draft.from.trim() || undefined,
    twoway: draft.twoWay || undefined,
    flash: draft.flash || undefined,
    scheduletime: timeOf(draft.at),
    costcenter: draft.costCenter.trim() || undefined,
  };
}

/** Whether the call was made from the draft as it is now. The text of a template is known only to the call. */
export function isMadeOf({ conversation: _, ...parameters }: SendParameters, draft: Draft): boolean {
  const text = draft.templateId === '' ? draft.message : (parameters.message as string);
  return JSON.stringify(parametersOf(draft, text)) === JSON.stringify(parameters);
}

/** The name under which the draft is kept. */
export const draftName = (username: string) => `compose.${username}`;
