/** A sending as the management API shows it. */
import Type from 'typebox';
import type { Whom } from '../sending-rows.ts';
import type { VisibleSending } from './sending.ts';

const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });
const count = (description?: string) => Type.Integer(description === undefined ? {} : { description });

export const whomSchema = Type.Object(
  {
    groups: Type.Array(Type.String()),
    filters: Type.Array(Type.String(), { description: 'Names of saved filters.' }),
    tags: Type.String({ description: 'Tag filter; empty if there is none.' }),
    numbers: count('Numbers that the call listed itself.'),
  },
  { title: 'WhomSentTo' },
);

export const titleSchema = Type.Optional(
  Type.String({
    description:
      'Name of its template, otherwise the beginning of its text. Lists leave out texts of other users.',
  }),
);

export const sendingFields = {
  id: Type.String({ description: 'Id of its first SMS.' }),
  title: titleSchema,
  whom: whomSchema,
  username: Type.String({ description: 'User who sent it.' }),
  from: Type.Optional(Type.String({ description: 'Sender id; absent for two-way SMS.' })),
  accepted: time('When it was accepted'),
  scheduledFor: Type.Optional(time('Its send time')),
  messages: count('Number of SMS.'),
  parts: count('Number of SMS parts.'),
  totals: Type.Object(
    {
      scheduled: count(),
      underWay: count(),
      delivered: count(),
      failed: count(),
      canceled: count(),
      removed: count('No longer stored: too old, or erased.'),
    },
    { title: 'SendingTotals', description: 'Number of SMS in each state; they add up to `messages`.' },
  ),
  answers: Type.Optional(
    Type.Object(
      { yes: count(), no: count(), other: count(), silent: count() },
      {
        title: 'SendingAnswers',
        description:
          'Number of people by what they answered; the latest YES or NO of a person counts. Absent if nobody can answer.',
      },
    ),
  ),
};

export const sendingSchema = Type.Object(sendingFields, { title: 'Sending' });

const maxTitleLength = 60;

/** Undefined if it would show the text of another user, whose texts are not in lists. */
export function titleOf(
  { name, text, userId }: { readonly name: string; readonly text: string; readonly userId: number },
  callerId: number,
): string | undefined {
  if (name !== '') return name;
  if (userId !== callerId) return undefined;
  const [first = ''] = text.trim().split(/[\r\n]/, 1);
  const line = first.trimEnd();
  const letters = Array.from(line.slice(0, 2 * maxTitleLength));
  return letters.length > maxTitleLength ? `${letters.slice(0, maxTitleLength).join('').trimEnd()}…` : line;
}

export function shownWhom({ groups, filters, tags, numbers }: Whom) {
  return { groups: [...groups], filters: [...filters], tags, numbers };
}

const iso = (at: number) => new Date(at).toISOString();

/** `readerId`: the user to whom the text may be shown. */
export function shownSending(sending: VisibleSending, readerId: number) {
  const { id, whom, username, sender, createdAt, scheduledAt, messages, parts, totals, answers } = sending;
  return {
    id: String(id),
    title: titleOf(sending, readerId),
    whom: shownWhom(whom),
    username,
    from: sender === '' ? undefined : sender,
    accepted: iso(createdAt),
    scheduledFor: scheduledAt === null ? undefined : iso(scheduledAt),
    messages,
    parts,
    totals: { ...totals },
    answers: answers === null ? undefined : { ...answers },
  };
}
