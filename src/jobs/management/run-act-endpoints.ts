/** The management API endpoints by which the owner of a run steers it (JOB-8), with the wording for them. */
import Type from 'typebox';
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { byUser } from '../../audit/audit-log.ts';
import { errorOfFields, type ServiceError } from '../../foundation/errors.ts';
import { fault } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text, word } from '../../http/parameters/kinds.ts';
import { boundsOfMessage } from '../../messages/sending/parameters.ts';
import { theCaller } from '../../storage/verb.ts';
import type { JobSending } from '../job-mail.ts';
import { audiences } from '../run/run.ts';
import { type Steering, steer } from '../steer.ts';
import type { Whom } from '../stored-runs.ts';
import { errorsOfRun, runId as id, visibleRun } from './visible-run.ts';

const endpoint = endpointsFor<Caller>();

const acted = Type.Object(
  {
    id: Type.String({ description: 'Id of the run, which carries out the action within a second.' }),
  },
  { title: 'RunAct' },
);

const declared = {
  methods: ['POST'] as const,
  group: 'Saved jobs',
  credentials: anyMethod,
  answer: acted,
  isIdempotent: true,
};
const errors = [...errorsOfRun, 'run_ended', 'invalid_value', 'idempotency_mismatch'] as const;
const errorsOfPerson = [...errors, 'invalid_number', 'missing_parameter', 'conflicting_parameters'] as const;
const example = (json: Readonly<Record<string, unknown>>) => ({ url: { id: '1001' }, json });

const phone = text({
  get: 'phone',
  maxLength: 100,
  description: 'Phone number of one of the people of the run.',
});
const contactId = text({
  get: 'contactId',
  maxLength: 100,
  description: 'Instead of `phone`: the contact, for a person without a phone.',
});
const comment = (answer: string) =>
  word(['last'], {
    get: 'comment',
    description: `\`last\`: the last comment of the person counts as ${answer}, and is shown in the record.`,
  });

type Acting = (
  caller: Caller,
  runId: number,
  call: Pick<Call, 'idempotencyKey'>,
  steering: Steering,
) => Promise<{ readonly id: string }>;

export function runActEndpoints({ store, clock }: JobSending) {
  const act: Acting = async (caller, runId, { idempotencyKey }, steering) => {
    await visibleRun(store, caller, runId);
    const owner = theCaller(caller);
    await steer(store, clock, { runId, owner, by: byUser(caller), idempotencyKey }, steering);
    return { id: String(runId) };
  };
  return [...answerEndpoints(act), ...tellEndpoints(act), ...runningEndpoints(act)] as const;
}

function answerEndpoints(act: Acting) {
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/accept' as const,
      errors: errorsOfPerson,
      operation: 'acceptForPerson',
      title: 'Record a YES',
      description: 'Records the answer of someone who said YES by phone, or whose comment means YES.',
      example: example({ phone: '+46 70 174 06 20' }),
      needsBody: true,
      parameters: { id, phone, contactId, comment: comment('YES') },
      handle: (caller, input, call) => act(caller, input.id, call, answerOf(caller, 'accept', input)),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/decline' as const,
      errors: errorsOfPerson,
      operation: 'declineForPerson',
      title: 'Record a NO',
      description: 'Records the answer of someone who said NO by phone, or whose comment means NO.',
      example: example({ phone: '+46 70 174 06 20' }),
      needsBody: true,
      parameters: { id, phone, contactId, comment: comment('NO') },
      handle: (caller, input, call) => act(caller, input.id, call, answerOf(caller, 'decline', input)),
    }),
  ] as const;
}

function runningEndpoints(act: Acting) {
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/escalate' as const,
      errors,
      operation: 'escalateRun',
      title: 'Open the next level of a run',
      description: 'Opens the next level, or asks the next group, now.',
      example: example({}),
      parameters: { id },
      handle: (caller, input, call) => act(caller, input.id, call, { kind: 'escalate' }),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/extend' as const,
      errors,
      operation: 'extendRun',
      title: 'Extend a run',
      description: 'Postpones the end of a run.',
      example: example({ minutes: 30 }),
      parameters: {
        id,
        minutes: integer({
          get: 'minutes',
          min: 1,
          max: 10_080,
          required: true,
          description: 'How many minutes to add.',
        }),
      },
      handle: (caller, { id: runId, minutes }, call) => act(caller, runId, call, { kind: 'extend', minutes }),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/cancel' as const,
      errors,
      operation: 'cancelRun',
      title: 'End a run',
      description: 'Ends a run and informs those asked. A run waiting for its start time is not started.',
      example: example({}),
      parameters: { id },
      handle: (caller, input, call) => act(caller, input.id, call, { kind: 'cancel' }),
    }),
  ] as const;
}

function tellEndpoints(act: Acting) {
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/tell' as const,
      errors: [...errorsOfPerson, 'no_text', 'text_too_long'],
      operation: 'messageRunPeople',
      title: 'Write to the people of a run',
      description: 'Sends a text to people in a run, or to one of them, from the number of the run.',
      example: example({ message: 'Bring boots', to: 'silent' }),
      parameters: {
        id,
        message: text({ ...boundsOfMessage, get: 'message', required: true, description: 'The text.' }),
        to: word(audiences, {
          get: 'to',
          description:
            'To everyone asked (`all`, also if nobody is named), to those who have not answered, or to those who have a place.',
        }),
        phone,
        contactId,
      },
      handle(caller, { id: runId, message: said, to, ...person }, call) {
        const whom = whomIn(caller, person);
        if (to !== undefined && whom !== undefined) throw excluded('to');
        return act(caller, runId, call, { kind: 'tell', to: whom ?? to ?? 'all', text: said });
      },
    }),
  ] as const;
}

interface GivenPerson {
  readonly phone?: string | undefined;
  readonly contactId?: string | undefined;
}

function answerOf(
  caller: Caller,
  kind: 'accept' | 'decline',
  { comment: counted, ...person }: GivenPerson & { readonly comment?: string | undefined },
): Steering {
  const whom = whomIn(caller, person);
  if (whom !== undefined) return { kind, whom, countsComment: counted !== undefined };
  throw errorOfFields(fault('missing_parameter', { sentence: 'run_no_person' }), 'phone');
}

function whomIn(caller: Caller, { phone: given, contactId: contact }: GivenPerson): Whom | undefined {
  if (given !== undefined && contact !== undefined) throw excluded('contactId');
  if (contact !== undefined) return { contactId: contact };
  return given === undefined ? undefined : { phone: numberIn(caller, 'phone', given) };
}

function excluded(field: string): ServiceError {
  return errorOfFields(fault('conflicting_parameters', { sentence: 'run_one_person' }), field);
}
