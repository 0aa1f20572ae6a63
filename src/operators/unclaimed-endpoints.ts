/** The calls with which operators see what belongs to nobody: incoming SMS, which can be given to a user, and receipts. */
import Type from 'typebox';
import { noCompany, noteLook } from '../audit/audit-log.ts';
import { text } from '../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../http/parameters/page.ts';
import { giveUnrouted } from '../messages/conversations/give-unrouted.ts';
import { statusNames } from '../messages/message.ts';
import { listUnrouted } from '../messages/operator/inspect.ts';
import { listUnmatched, maxSummed, sumUnmatched } from '../messages/receipts/unmatched.ts';
import { statusNameSchema } from '../messages/status-name-schema.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';
import { byOperator, type Operator } from './operator.ts';

const onlyIfRead = 'only if CARILLON_OPERATORS_READ is on';

export function unclaimedEndpoints(services: Operating) {
  return [...unroutedEndpoints(services), ...receiptEndpoints(services)] as const;
}

function unroutedEndpoints(services: Operating) {
  const { store, readsTexts } = services;
  return [
    operatorEndpoint({
      path: '/api/v1/operator/unrouted',
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsUnrouted',
      title: 'List incoming SMS that belong to nobody',
      description:
        'Lists SMS that came to a number when nobody rented it or waited for an answer there, latest first. If texts are shown, the audit log records who has looked.',
      example: { url: { limit: '10' } },
      parameters: pageParameters,
      answer: Type.Object({
        unrouted: Type.Array(
          Type.Object(
            {
              id: Type.String(),
              from: Type.String(),
              to: Type.String(),
              company: Type.Optional(
                Type.String({ description: 'Company that had the number when the SMS arrived.' }),
              ),
              message: Type.Optional(Type.String({ description: `Text of the SMS; ${onlyIfRead}.` })),
              time: Type.String({ description: 'When it was received (ISO 8601, UTC).' }),
            },
            { title: 'OperatorsUnrouted' },
          ),
        ),
        next: nextOf('SMS'),
      }),
      async handle(operator, { after, limit }) {
        const rows = await store.read(listUnrouted, { after, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, ({ receivedAt, id }) => `${receivedAt}.${id}`);
        if (readsTexts)
          await noteReading(
            services,
            operator,
            'incoming.look',
            items.map(({ numberCompanyId }) => numberCompanyId),
          );
        return {
          unrouted: items.map(({ id, sender: from, recipient: to, company, text, receivedAt }) => ({
            id: String(id),
            from,
            to,
            company: company ?? undefined,
            message: readsTexts ? text : undefined,
            time: new Date(receivedAt).toISOString(),
          })),
          next,
        };
      },
    }),
    operatorEndpoint({
      path: '/api/v1/operator/unrouted/{id}/assign',
      methods: ['POST'],
      ...ofOperators,
      operation: 'assignOperatorsUnrouted',
      title: 'Give an unrouted SMS to a user',
      description:
        'Gives the SMS to a user of any company, as if it had been received for that user. The audit log of the company records it.',
      example: { url: { id: '1' }, json: { user: 'demo' } },
      parameters: {
        id: text({ get: 'id', required: true, maxLength: 20, description: 'Id of the incoming SMS.' }),
        user: text({
          get: 'user',
          required: true,
          maxLength: 200,
          description: 'User name of the new owner.',
        }),
      },
      answer: Type.Object({ id: Type.String(), username: Type.String() }),
      errors: ['not_found'],
      handle: (operator, { id, user: username }) =>
        giveUnrouted(services, { companyId: null, id, username, by: byOperator(operator) }),
    }),
  ] as const;
}

/** The audit log of a company says who has read texts that came to its numbers; entries of no company are for operators. */
async function noteReading(
  { store, clock }: Operating,
  operator: Operator,
  act: 'incoming.look' | 'receipt.look',
  companyIds: readonly (number | null)[],
): Promise<void> {
  for (const companyId of new Set(companyIds.map((id) => id ?? noCompany)))
    await store.write(noteLook, {
      companyId,
      at: clock.now(),
      by: byOperator(operator),
      act,
      object: '',
    });
}

function receiptEndpoints(services: Operating) {
  const { store, readsTexts } = services;
  return [
    operatorEndpoint({
      path: '/api/v1/operator/receipts/unmatched',
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsUnmatchedReceipts',
      title: 'List receipts that belong to no message',
      description:
        'Lists the delivery receipts of the last weeks that match no message or could not be read, latest first. If texts are shown, the audit log records who has looked.',
      example: { url: { limit: '10' } },
      parameters: {
        ...pageParameters,
        carrier: text({ get: 'carrier', maxLength: 200, description: 'Only receipts of this carrier.' }),
      },
      answer: Type.Object({
        receipts: Type.Array(
          Type.Object(
            {
              carrier: Type.String(),
              carrierMessageId: Type.Optional(Type.String({ description: 'Id that the carrier gave.' })),
              to: Type.Optional(Type.String({ description: 'Number that the SMS went to.' })),
              status: Type.Optional(statusNameSchema),
              errorCode: Type.Optional(Type.String({ description: 'The carrier’s own code.' })),
              text: Type.Optional(
                Type.String({
                  description: `The receipt itself, if it could not be read; ${onlyIfRead}, since it may quote the SMS.`,
                }),
              ),
              time: Type.String({ description: 'When it was received (ISO 8601, UTC).' }),
            },
            { title: 'OperatorsUnmatchedReceipt' },
          ),
        ),
        next: nextOf('receipts'),
      }),
      async handle(operator, { after, limit, carrier }) {
        const place = after && {
          time: after.time ?? after.id,
          before: after.time === undefined ? 0 : after.id,
        };
        const { receipts, next } = await store.read(listUnmatched, { carrier, after: place, limit });
        if (readsTexts && receipts.some(({ text }) => text !== null))
          await noteReading(services, operator, 'receipt.look', [null]);
        return {
          receipts: receipts.map(({ receivedAt, recipient, status, ...one }) => ({
            carrier: one.carrier,
            carrierMessageId: one.carrierMessageId ?? undefined,
            to: recipient ?? undefined,
            status: status === null ? undefined : statusNames[status],
            errorCode: one.errorCode ?? undefined,
            text: readsTexts ? (one.text ?? undefined) : undefined,
            time: new Date(receivedAt).toISOString(),
          })),
          next: next === null ? undefined : `${next.time}.${next.before}`,
        };
      },
    }),
    operatorEndpoint({
      path: '/api/v1/operator/receipts/unmatched/carriers',
      methods: ['GET'],
      ...ofOperators,
      operation: 'countOperatorsUnmatchedReceipts',
      title: 'Count receipts that belong to no message',
      description:
        'Returns the carriers with such receipts, and the setting under which they would have matched, if there is one.',
      example: { url: {} },
      parameters: {},
      answer: Type.Object({
        carriers: Type.Array(
          Type.Object({
            carrier: Type.String(),
            receipts: Type.Integer({ description: `At most ${maxSummed}, above which there are more.` }),
            messageId: Type.Optional(
              Type.Object(
                {
                  value: Type.String({ description: 'Value of the setting `messageId`.' }),
                  matching: Type.Integer({ description: 'How many of the ids would match under it.' }),
                  of: Type.Integer({ description: 'How many of the latest ids were tried.' }),
                },
                { description: 'The setting to change in the provisioning file.' },
              ),
            ),
          }),
        ),
      }),
      async handle() {
        const sums = await store.read(sumUnmatched, null);
        return {
          carriers: sums.map(({ carrier, receipts, idRule }) => ({
            carrier,
            receipts,
            messageId: idRule && { value: idRule.rule, matching: idRule.matching, of: idRule.of },
          })),
        };
      },
    }),
  ] as const;
}
