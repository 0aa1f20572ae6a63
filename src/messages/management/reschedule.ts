/** Gives a message that waits for its time another one. */
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseScheduleTime } from '../../wire/schedule-time.ts';
import { parseMessageId, statusNames } from '../message.ts';
import { rescheduleMessage } from './scheduled-store.ts';

export interface RescheduleRequest {
  readonly id: string;
  readonly scheduletime: string | undefined;
  readonly version: number | undefined;
}

export async function reschedule(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  caller: Caller,
  { id, scheduletime, version }: RescheduleRequest,
): Promise<{ readonly time: number; readonly version: number }> {
  const visible = visibilityOf(caller);
  const now = clock.now();
  const time = scheduletime === undefined ? undefined : timeIn(scheduletime, now);
  const messageId = parseMessageId(id);
  const { username, session } = caller;
  const outcome =
    messageId === undefined
      ? ({ kind: 'notFound' } as const)
      : await store.write(rescheduleMessage, {
          ...visible,
          id: messageId,
          username,
          session,
          now,
          time,
          version,
        });
  switch (outcome.kind) {
    case 'rescheduled':
      return { time: outcome.time, version: outcome.version };
    case 'notFound':
      throw new ServiceError('not_found', `There is no message ${id}.`);
    case 'changedMeanwhile':
      throw new ServiceError('changed_meanwhile', `Message ${id} was given another time since it was shown.`);
    case 'numberTaken':
      throw new ServiceError(
        'no_pool_number',
        `Message ${id} comes from a number of the reply pool on which another company, or a job, waits for answers of its recipient at that time. Give it another time, or cancel it and send it anew.`,
      );
    case 'tooLate':
      throw new ServiceError(
        'too_late',
        `Message ${id} waits for no time of its own: it is ${statusNames[outcome.status]}.`,
      );
  }
}

function timeIn(scheduletime: string, now: number): number {
  const time = parseScheduleTime(scheduletime, now);
  if (time.ok) return time.value;
  throw new ServiceError(time.code, time.error, {
    errors: [{ field: 'scheduletime', code: time.code, error: time.error }],
  });
}
