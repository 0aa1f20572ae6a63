/** Faults of services by HTTP: in their connections, in their answers to submissions, and in their calls with receipts. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type FaultyService,
  idempotent,
  type ServiceMisbehaviour,
  type SubmittedMessage,
} from './faulty-service.ts';
import type { HttpFault } from './link-fault.ts';

/** Shortens the response time-out so that unanswered submissions are due soon. */
const impatient = { responseTimeoutMs: 1_500 };

/** Answers without having taken the message. */
const refused = (status: number, headers?: Record<string, string>): ServiceMisbehaviour => ({
  submit: (service, message) => service.answer(message, status, '{}', headers),
});

/** Takes the message, and answers something else than its id. */
const takenBut = (
  answer: (service: FaultyService, message: SubmittedMessage) => void,
): ServiceMisbehaviour => ({
  submit(service, message) {
    service.note(message);
    answer(service, message);
  },
});

const faults: readonly Omit<HttpFault, 'over'>[] = [
  { name: 'unanswered', settings: impatient, happens: { times: 5, does: takenBut(() => undefined) } },
  {
    name: 'unanswered, not to be sent again',
    settings: { ...impatient, inDoubt: 'fail' },
    happens: { times: 2, does: takenBut(() => undefined) },
    ends: ['UNKNOWN'],
  },
  {
    name: 'answered after the time-out',
    settings: impatient,
    happens: { times: 5, does: { submit: (service, message) => service.accept(message, 2_500) } },
  },
  {
    name: 'connection cut instead of an answer',
    happens: { times: 8, does: takenBut((_, { response }) => response.socket?.destroy()) },
  },
  {
    // The key takes away the doubt: otherwise, messages would end as UNKNOWN.
    name: 'connection cut instead of an answer, by a service that knows our ids again',
    settings: { ...idempotent, inDoubt: 'fail' },
    happens: { times: 8, does: takenBut((_, { response }) => response.socket?.destroy()) },
  },
  {
    name: 'connection cut amid the answer',
    happens: {
      times: 8,
      does: takenBut((_, { response }) =>
        response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"id'),
      ),
    },
  },
  {
    name: 'answered by something that is not HTTP',
    happens: {
      times: 3,
      does: takenBut((_, { response }) => response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n')),
    },
  },
  { name: 'connection closed at once', happens: { times: 8, does: { connected: () => undefined } } },
  {
    name: 'away for a second',
    happens: {
      async course(service) {
        service.goAway();
        await delay(1_000);
        await service.comeBack();
        service.getWell();
      },
    },
  },
  {
    name: '500 although taken',
    happens: { times: 5, does: takenBut((service, to) => service.answer(to, 500, '')) },
  },
  {
    name: 'HTML instead of JSON',
    happens: { times: 5, does: takenBut((service, to) => service.answer(to, 200, '<html>Welcome</html>')) },
  },
  { name: '429', happens: { times: 10, does: refused(429) } },
  { name: '429 with Retry-After', happens: { times: 3, does: refused(429, { 'retry-after': '1' }) } },
  { name: '503 with a long Retry-After', happens: { times: 1, does: refused(503, { 'retry-after': '6' }) } },
  { name: '401', happens: { times: 4, does: refused(401) } },
  { name: '422', happens: { times: 5, does: refused(422) }, ends: ['REJECTED'] },
  {
    name: 'receipt before the answer',
    happens: {
      times: 10,
      does: {
        submit(service, message) {
          const id = service.note(message);
          void service
            .call({ id, report: message.report })
            .then(() => service.answer(message, 200, JSON.stringify({ id })));
        },
      },
    },
  },
  {
    name: 'receipts doubled and out of order',
    happens: {
      times: 10,
      does: {
        async receipt(service, receipt) {
          await service.call(receipt);
          await Promise.all([service.call(receipt), service.call(receipt, { state: 'sent' })]);
        },
      },
    },
  },
  {
    name: 'receipts forged',
    happens: {
      times: 10,
      does: {
        async receipt(service, receipt) {
          await service.call(receipt, { state: 'failed', signedWith: 'another key', isRepeated: false });
          await service.call(receipt);
        },
      },
    },
  },
  {
    name: 'receipts garbled',
    happens: {
      times: 10,
      does: {
        async receipt(service, receipt) {
          await service.call(receipt, { body: '{"id":', isRepeated: false });
          await service.call(receipt, { body: '[]', isRepeated: false });
          await service.call(receipt);
        },
      },
    },
  },
  {
    name: 'for good: 503',
    happens: { times: Number.POSITIVE_INFINITY, does: refused(503) },
    ends: ['EXPIRED'],
  },
];

export const httpFaults: readonly HttpFault[] = faults.map((fault) => ({
  ...fault,
  name: `HTTP: ${fault.name}`,
  over: 'http',
}));
