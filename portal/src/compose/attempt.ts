/** The attempts to send what the compose page has: one at a time, and never twice (sending/attempt.ts). */
import { post } from '../api/client.ts';
import { forgetDraft } from '../browser/draft.ts';
import { type Attempt, Attempts } from '../sending/attempt.ts';
import { type Draft, draftName, isMadeOf, type SendParameters } from './draft.ts';

export interface Sent {
  readonly accepted: readonly { readonly to: string; readonly id: string }[];
  readonly rejected: readonly string[];
}

export type SendAttempt = Attempt<SendParameters, Sent>;

export const sendAttempts = new Attempts<SendParameters, Sent>({
  kind: 'attempt',
  call: (parameters, options) => post('/api/v1/send', parameters, options),
  // A draft that stayed would be sent a second time.
  accepted: (parameters, username) =>
    forgetDraft<Draft>(draftName(username), (draft) => isMadeOf(parameters, draft)),
});
