/** The call with which operators see who has which number. */
import Type from 'typebox';
import { digits, text, word } from '../http/parameters/kinds.ts';
import { nextOf, pageParameters } from '../http/parameters/page.ts';
import {
  listNumbersOfAll,
  maxCounted,
  type NumberUse,
  numberUses,
  useOf,
} from '../messages/conversations/numbers.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';

export function numberEndpoints({ store, clock }: Operating) {
  return [
    operatorEndpoint({
      path: '/api/v1/operator/numbers',
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsNumbers',
      title: 'List all numbers',
      description:
        'Lists the numbers that phones can write to, in order: who rents each, or whose pool it is in. A page may be short or empty: as long as there is a `next`, there may be more.',
      example: { url: { use: 'pool' } },
      parameters: {
        after: text({
          get: 'after',
          maxLength: 20,
          description: 'The `next` of the previous page. Omit it for the first page.',
        }),
        limit: pageParameters.limit,
        number: digits({ get: 'number', maxLength: 15, description: 'First digits of the numbers.' }),
        use: word(numberUses, { get: 'use', description: 'Only numbers with this use.' }),
        company: text({
          get: 'company',
          maxLength: 200,
          description: 'Only numbers that a user of this company rents, or that its own pool has.',
        }),
      },
      answer: Type.Object({
        numbers: Type.Array(
          Type.Object(
            {
              number: Type.String(),
              use: Type.Unsafe<NumberUse>({ type: 'string', enum: [...numberUses] }),
              username: Type.Optional(Type.String({ description: 'Who rents it.' })),
              company: Type.Optional(
                Type.String({
                  description: 'Company of the renter, or of the pool; absent: the pool of all companies.',
                }),
              ),
              leases: Type.Integer({
                description: `For a number of the pool: how many of its latest ${maxCounted} leases hold.`,
              }),
              lastUsed: Type.Optional(Type.String({ description: 'ISO 8601, UTC; absent: not lately.' })),
            },
            { title: 'OperatorsNumber' },
          ),
        ),
        next: nextOf('numbers'),
      }),
      async handle(_, { after = '', number: begins = '', ...query }) {
        const { numbers, next } = await store.read(listNumbersOfAll, {
          after,
          begins,
          limit: query.limit,
          use: query.use,
          company: query.company,
          now: clock.now(),
        });
        return {
          numbers: numbers.map(({ number, username, pool, company, conversations, lastUsed }) => ({
            number,
            use: useOf({ pool, username }),
            username: username ?? undefined,
            company: company ?? undefined,
            leases: conversations,
            lastUsed: lastUsed === null ? undefined : new Date(lastUsed).toISOString(),
          })),
          next: next ?? undefined,
        };
      },
    }),
  ] as const;
}
