/** What the form of a message holds, and the call of `/send` that it stands for. Pure. */
import { compileTemplate, parseTemplate } from '../../../src/wire/sms/substitution.ts';
import type { Recipient } from './recipient.ts';

export interface Draft {
  readonly recipients: readonly Recipient[];
  /** Takes the place of a single leading zero. */
  readonly countryCode: string;
  readonly message: string;
  /** Empty: the text is the form's own. */
  readonly templateId: string;
  /** By label. */
  readonly fields: Readonly<Record<string, string>>;
  readonly from: string;
  readonly twoWay: boolean;
  readonly flash: boolean;
  /** As a field of date and time has it, in the zone of whoever writes; empty: at once. */
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

/** All recipients get one text: what people of the address book are sent can have no texts of their own. */
export function filled(text: string, fields: Draft['fields']): string {
  const { fill } = compileTemplate(parseTemplate(text), Object.keys(fields), true);
  return fill(Object.values(fields));
}

export type SendParameters = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** `text`: as it is to be sent, the template filled in. What is not given is left out. */
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

/** Whether a call was made of the draft as it is. What a template says is known to the call alone. */
export function isMadeOf({ conversation: _, ...parameters }: SendParameters, draft: Draft): boolean {
  const text = draft.templateId === '' ? draft.message : (parameters.message as string);
  return JSON.stringify(parametersOf(draft, text)) === JSON.stringify(parameters);
}

/** By which it is kept. */
export const draftName = (username: string) => `compose.${username}`;

/** With the zone that this browser is in. */
export function timeOf(at: string): string | undefined {
  const time = new Date(at);
  return at === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
