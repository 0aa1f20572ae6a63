/** What an operator may set of a simulator carrier. */
import { type Static, Type } from 'typebox';

export const simulatorSettings = Type.Object(
  {
    submitDelayMs: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description: 'Milliseconds from a submission to its answer.',
    }),
    receiptDelayMs: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 500,
      description: 'Milliseconds from the answer to the delivery receipt.',
    }),
    window: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
      description: 'SMS parts that may be submitted and not yet answered.',
    }),
    throughput: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      description: 'SMS parts per second; 0 is no limit.',
    }),
    down: Type.Optional(
      Type.Boolean({
        description: 'Whether it is down, as a real carrier may be: it takes nothing.',
      }),
    ),
    passOn: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9]{1,15}$' }), {
        description: 'Last digits of recipients that it passes on to another carrier.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type SimulatorSettings = Static<typeof simulatorSettings>;
