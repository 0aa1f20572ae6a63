/** The calls with which operators try a carrier by one SMS, and see what became of it. */
import Type from 'typebox';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import { shownReason } from '../foundation/sentences.ts';
import { errorContent } from '../http/answers/error-response.ts';
import { text } from '../http/parameters/kinds.ts';
import {
  type CarrierTest,
  listedTests,
  listTests,
  type TestState,
  testLimits,
  testStateOf,
  testStates,
} from '../messages/carrier-test.ts';
import { statusNames } from '../messages/message.ts';
import { statusNameSchema } from '../messages/status-name-schema.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';
import { byOperator } from './operator.ts';
import { testCarrier, usualSender, usualText } from './test-carrier.ts';

const path = '/api/v1/operator/carriers/{name}/tests';
const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });

const shownTest = Type.Object(
  {
    id: Type.String(),
    to: Type.String(),
    from: Type.String(),
    operator: Type.Optional(Type.String({ description: 'Who asked for it; absent: a command.' })),
    asked: time('When it was asked for'),
    node: Type.Optional(Type.String({ description: 'The node that handed it to the carrier.' })),
    state: Type.Unsafe<TestState>({
      type: 'string',
      enum: [...testStates],
      description:
        '`waiting` for the answer; `notBound`: no node had a connection to the carrier; `accepted`; `refused`: for good; `notTaken`: for now, and it is not sent again; `unanswered`: the carrier may or may not have taken it.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it was not accepted.' })),
    reasonValues: errorContent.values,
    carrierMessageId: Type.Optional(Type.String({ description: 'Id that the carrier gave.' })),
    status: Type.Optional(statusNameSchema),
    errorCode: Type.Optional(Type.String({ description: 'The carrier’s own code, from its receipt.' })),
    reported: Type.Optional(time('When the receipt came that `status` is from')),
    conversation: Type.Optional(
      Type.String({
        description: 'For a carrier by HTTP: the request and the answer, with `***` in place of secrets.',
      }),
    ),
  },
  { title: 'CarrierTest' },
);

const name = text({ get: 'name', required: true, maxLength: 200, description: 'Name of the carrier.' });

export function testEndpoints(services: Operating) {
  const { store, clock } = services;
  const shown = (test: CarrierTest) => showTest(test, clock.now());
  return [
    operatorEndpoint({
      path,
      methods: ['GET'],
      ...ofOperators,
      operation: 'listCarrierTests',
      title: 'List the tests of a carrier',
      description: `Lists the latest ${listedTests} SMS by which operators have tried the carrier, and what became of each.`,
      example: { url: { name: 'simulator' } },
      parameters: { name },
      answer: Type.Object({ tests: Type.Array(shownTest) }),
      errors: ['not_found'],
      async handle(_, { name }) {
        const carrier = (await store.read(listCarriers, null)).find((one) => one.name === name);
        if (carrier === undefined)
          throw new ServiceError('not_found', { sentence: 'no_carrier', name: quoted(name) });
        return { tests: (await store.read(listTests, carrier.id)).map(shown) };
      },
    }),
    operatorEndpoint({
      path,
      methods: ['POST'],
      ...ofOperators,
      operation: 'sendCarrierTest',
      title: 'Try a carrier',
      description: `Sends one SMS by the carrier, past routes and quotas, and never again if it is not taken; at most ${testLimits.minute} a minute and ${testLimits.day} a day in the whole service. What becomes of it is in the list.`,
      example: { url: { name: 'simulator' }, json: { to: '46701740699' } },
      parameters: {
        name,
        to: text({
          get: 'to',
          required: true,
          maxLength: 100,
          description: 'Number, with its country code.',
        }),
        from: text({ get: 'from', maxLength: 100, description: `Sender id; default: ${usualSender}.` }),
        message: text({ get: 'message', maxLength: 160, description: `Text; default: “${usualText}”.` }),
      },
      answer: shownTest,
      errors: ['no_text', 'not_found', 'too_many_tests'],
      async handle(operator, { name: carrier, message, ...sms }) {
        const by = byOperator(operator);
        return shown(await testCarrier(services, { carrier, ...sms, text: message, by }));
      },
    }),
  ] as const;
}

function showTest(test: CarrierTest, now: number) {
  const { id, recipient, sender, username, askedAt, nodeId, reason, status, reportedAt } = test;
  return {
    id: String(id),
    to: recipient,
    from: sender,
    operator: username ?? undefined,
    asked: new Date(askedAt).toISOString(),
    node: nodeId === null ? undefined : String(nodeId),
    state: testStateOf(test, now),
    ...shownReason(reason),
    carrierMessageId: test.carrierMessageId ?? undefined,
    status: status === null ? undefined : statusNames[status],
    errorCode: test.errorCode ?? undefined,
    reported: reportedAt === null ? undefined : new Date(reportedAt).toISOString(),
    conversation: test.conversation ?? undefined,
  };
}
