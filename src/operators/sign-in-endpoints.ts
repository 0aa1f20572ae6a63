/** Endpoints that the pages of operators call to sign in and out; they are undocumented, since nothing else can use them. */
import Type from 'typebox';
import { maxPasswordLength } from '../accounts/password.ts';
import { ServiceError } from '../foundation/errors.ts';
import { passwordOnly, sessionOnly, sessionToEnrol } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { factorEndpoints, lacking, stepEndpoints } from '../portal/factor-calls.ts';
import { askFor } from '../portal/second-step.ts';
import type { EndedSessions } from '../portal/session.ts';
import { ended, shownSession, showSession } from '../portal/shown-session.ts';
import type { Operator } from './operator.ts';
import type { OperatorHints } from './operator-hints.ts';
import { endOperatorSessions, listOperatorSessions, operatorPasswordIsManaged } from './session-store.ts';
import {
  confirmOperator,
  holderOf,
  lacksFactor,
  type OperatorSignIn,
  sessionOf,
  setOperatorPassword,
  signInOperator,
  signInOperatorByFactor,
} from './sign-in.ts';

const endpoint = endpointsFor<Operator>();
const group = 'Portal';
const bySession = { group, credentials: sessionOnly } as const;
/** Also for operators who have yet to set up a required second factor. */
const toEnrol = { group, credentials: sessionToEnrol } as const;

/** The operator who is signed in. */
const signedIn = Type.Object({
  username: Type.String(),
  readsTexts: Type.Boolean({ description: 'Whether operators may read texts of messages.' }),
  passwordManaged: Type.Boolean({
    description: 'Whether a provisioning file sets the password, so that the operator can’t change it.',
  }),
  factorMissing: Type.Boolean({
    description: 'Whether a second factor is required, and none has been given in the session.',
  }),
  version: Type.String({ description: 'Version of the server.' }),
});

interface PageServices extends OperatorSignIn {
  readonly readsTexts: boolean;
  readonly version: string;
}

/** The only call that takes an operator's name and password. */
export function operatorSignInEndpoints(services: PageServices) {
  return [
    endpoint({
      path: '/portal/api/operator/session',
      methods: ['POST'],
      group,
      title: 'Sign in as an operator',
      description: 'Starts a session with `username` and `password`, or says what else is needed.',
      credentials: passwordOnly,
      parameters: {},
      answer: Type.Object({ username: Type.String(), lacking }),
      async handle(operator, _, call) {
        const { username } = operator;
        const entered = await signInOperator(services, operator, call);
        if ('lacking' in entered)
          return { username, lacking: { token: entered.lacking, asks: await askFor(services, username) } };
        call.keepSession(entered.token);
        return { username };
      },
    }),
  ] as const;
}

export function operatorPageEndpoints(services: PageServices, hints: OperatorHints) {
  return [
    ...stepEndpoints({
      path: '/portal/api/operator/session',
      askFor: ({ username }: Operator) => askFor(services, username),
      begin: (operator, given, call) => signInOperatorByFactor(services, operator, given, call),
      confirm: (operator, given, call) => confirmOperator(services, operator, given, call),
    }),
    ...ownEndpoints(services),
    ...factorEndpoints({
      path: '/portal/api/operator/factors',
      services: { ...services, mailDomain: undefined },
      holderOf: (operator: Operator) => holderOf(services, operator),
    }),
    ...listEndpoints(services, hints),
  ] as const;
}

const ownOf = ({ username, passwordMark }: Operator, { clock }: PageServices) => ({
  username,
  passwordMark,
  now: clock.now(),
});

async function end(services: PageServices, operator: Operator, which: EndedSessions) {
  return { ended: await services.store.write(endOperatorSessions, { ...ownOf(operator, services), which }) };
}

function ownEndpoints(services: PageServices) {
  const { store, readsTexts, version } = services;
  return [
    endpoint({
      path: '/portal/api/operator/session',
      methods: ['GET'],
      ...toEnrol,
      title: 'Which operator is signed in',
      description: 'Returns the session’s operator.',
      parameters: {},
      answer: signedIn,
      async handle(operator) {
        const { username } = operator;
        const passwordManaged = await store.read(operatorPasswordIsManaged, username);
        const factorMissing = lacksFactor(services, operator);
        return { username, readsTexts, passwordManaged, factorMissing, version };
      },
    }),
    endpoint({
      path: '/portal/api/operator/session',
      methods: ['DELETE'],
      ...toEnrol,
      title: 'Sign an operator out',
      description: 'Ends the session.',
      parameters: {},
      answer: ended,
      async handle(operator, _, call) {
        const answer = await end(services, operator, { digest: sessionOf(operator) });
        call.keepSession(undefined);
        return answer;
      },
    }),
    endpoint({
      path: '/portal/api/operator/password',
      methods: ['POST'],
      ...toEnrol,
      title: 'Set an operator’s own password',
      description: 'Sets a new password, and ends all other sessions.',
      parameters: {
        current: text({ required: true, maxLength: maxPasswordLength, description: 'The current password.' }),
        password: text({ required: true, maxLength: maxPasswordLength, description: 'The new password.' }),
      },
      answer: Type.Object({ username: Type.String() }),
      errors: ['managed'],
      concernsSecurity: () => ({ event: 'password_set' }),
      async handle(operator, input, call) {
        call.keepSession(await setOperatorPassword(services, operator, input, call));
        return { username: operator.username };
      },
    }),
  ] as const;
}

function listEndpoints(services: PageServices, hints: OperatorHints) {
  return [
    endpoint({
      path: '/portal/api/operator/hints',
      methods: ['GET'],
      ...bySession,
      title: 'Follow changes as an operator',
      description: 'Server-sent events, each with the `topic` of a list to reload.',
      parameters: {},
      answer: Type.Object({ topic: Type.String() }),
      handle: (operator) => hints.open(operator),
    }),
    endpoint({
      path: '/portal/api/operator/sessions',
      methods: ['GET'],
      ...bySession,
      title: 'List an operator’s own sessions',
      description: 'Lists the operator’s sessions, most recently used first.',
      parameters: {},
      answer: Type.Object({ sessions: Type.Array(shownSession) }),
      async handle(operator) {
        const sessions = await services.store.read(listOperatorSessions, ownOf(operator, services));
        return { sessions: sessions.map((session) => showSession(session, operator.session)) };
      },
    }),
    endpoint({
      path: '/portal/api/operator/sessions',
      methods: ['DELETE'],
      ...bySession,
      title: 'End all other sessions of an operator',
      description: 'Ends all of the operator’s sessions except the current one.',
      parameters: {},
      answer: ended,
      handle: (operator) => end(services, operator, { allBut: sessionOf(operator) }),
    }),
    endpoint({
      path: '/portal/api/operator/sessions/{id}',
      methods: ['DELETE'],
      ...bySession,
      title: 'End one session of an operator',
      description: 'Ends any of the operator’s sessions, including the current one.',
      parameters: {
        id: text({
          get: 'id',
          required: true,
          maxLength: 40,
          description: 'Id of the session, from the list.',
        }),
      },
      answer: ended,
      errors: ['not_found'],
      async handle(operator, { id }) {
        const answer = await end(services, operator, { id });
        if (answer.ended === 0)
          throw new ServiceError('not_found', 'You have no such session. It may have ended already.');
        return answer;
      },
    }),
  ] as const;
}
