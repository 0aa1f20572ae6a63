/**
 * The door for carriers that report over HTTP. It is open on every node that serves HTTP, whether or not the node has the
 * carrier open, since all that a call tells goes to the store.
 *
 * A path that this server has not made, and one of a carrier that takes no calls, are answered alike and before the body is
 * read: a stranger learns nothing, and costs as much as at any other unknown path.
 */
import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallAnswer, CarrierCall } from '../../carriers/http/call.ts';
import { type CallAddress, callsPath, readCallPath } from '../../carriers/http/call-address.ts';
import { takeCall } from '../../carriers/http/callbacks.ts';
import { declarationOf } from '../../carriers/http/presets.ts';
import type { HttpSettings } from '../../carriers/http/settings.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { RepeatedLines } from '../../foundation/log.ts';
import type { SecurityEvents } from '../../foundation/security-log.ts';
import type { Admission } from '../../http/admission.ts';
import { contextOf, pathOf } from '../../http/request-context.ts';
import { type ReportServices, storingReports } from './store-reports.ts';

export interface CarrierCallServices extends ReportServices {
  readonly secret: KeyObject;
  /** The carriers as they are now, with their secrets. */
  readonly carriers: () => readonly CarrierRecord[];
  /** The address by which the world reaches this server, without a slash at its end. */
  readonly publicUrl: () => string;
  readonly security: SecurityEvents;
  readonly admission: Pick<Admission, 'take'>;
  readonly log: { warn(details: object, message: string): void };
}

/** A hundred receipts of some services, each of which may take a kilobyte or more. */
const maxCallBytes = 524_288;

export function addCarrierCalls(app: FastifyInstance, services: CarrierCallServices): void {
  const calls = new CarrierCalls(services);
  app.register(async (pages) => {
    // Signatures are over the bytes of a body, whatever its type.
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxCallBytes }, (_, body, done) =>
      done(null, body),
    );
    pages.addHook('onClose', async () => calls.stop());
    pages.route({
      method: ['GET', 'POST'],
      url: `${callsPath}/*`,
      bodyLimit: maxCallBytes,
      onRequest: async ({ raw }, reply) => (calls.find(raw) === undefined ? notFound(reply) : undefined),
      handler: (request, reply) => calls.answer(request, reply),
    });
  });
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound();
  return reply;
}

interface FoundCarrier extends CallAddress {
  readonly record: CarrierRecord;
}

class CarrierCalls {
  readonly #services: CarrierCallServices;
  readonly #repeated: RepeatedLines<string>;

  constructor(services: CarrierCallServices) {
    this.#services = services;
    this.#repeated = new RepeatedLines((message, fields) => services.log.warn(fields, message));
  }

  stop(): void {
    this.#repeated.flush();
  }

  find(request: IncomingMessage): FoundCarrier | undefined {
    const { secret, carriers } = this.#services;
    const address = readCallPath(secret, pathOf(request));
    if (address === undefined) return undefined;
    const record = carriers().find(({ name, type }) => name === address.carrier && type === 'http');
    return record && { ...address, record };
  }

  async answer({ raw, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { admission } = this.#services;
    const overload = admission.take(reply.raw);
    if (overload !== undefined) throw overload;
    // The carrier may have been removed while the body arrived.
    const found = this.find(raw);
    if (found === undefined) return notFound(reply);
    const bytes = body instanceof Buffer ? body : Buffer.alloc(0);
    const answer = await this.#take(found, this.#callOf(raw, bytes.toString('utf8')));
    const { name } = found.record;
    reply.header('cache-control', 'no-store');
    switch (answer.kind) {
      case 'answer':
        if (answer.unread > 0)
          this.#warn('incoming SMS in a call of a carrier could not be read', name, {
            count: answer.unread,
          });
        return answer.status === 204
          ? reply.code(204).send()
          : reply.code(answer.status).type(answer.type).send(answer.body);
      case 'forged':
        this.#services.security.record({
          event: 'carrier_call_forged',
          channel: 'http',
          address: contextOf(raw).origin.address,
          object: name,
          reason: answer.why,
        });
        return reply.code(403).type('text/plain').send('This call is not accepted.\n');
      case 'unreadable':
        this.#warn('a call of a carrier could not be read', name, {
          call: found.kind,
          reason: answer.why,
        });
        return reply.code(400).type('text/plain').send('This call cannot be read.\n');
      case 'notTaken':
        return notFound(reply);
    }
  }

  /** Whatever goes wrong is temporary for the carrier, so that it calls again. */
  async #take({ record, kind }: FoundCarrier, call: CarrierCall): Promise<CallAnswer> {
    try {
      if (record.unusable !== undefined) throw new Error(`the carrier ${record.name}: ${record.unusable}`);
      const declaration = declarationOf(record.settings as unknown as HttpSettings);
      const now = this.#services.clock.now();
      return await takeCall(declaration, kind, call, storingReports(this.#services, record), now);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 503) throw error;
      throw new ServiceError(
        'store_unavailable',
        'The service could not store what the carrier reports. Nothing is lost if the carrier reports it again.',
        { cause: error },
      );
    }
  }

  #callOf(request: IncomingMessage, body: string): CarrierCall {
    const { method = '', url = '', headers } = request;
    const at = url.indexOf('?');
    const query = at < 0 ? '' : url.slice(at);
    return {
      method,
      url: this.#services.publicUrl() + pathOf(request) + query,
      query: new URLSearchParams(query),
      body,
      contentType: headers['content-type'] ?? '',
      header(name) {
        const values = request.headersDistinct[name.toLowerCase()];
        return values?.length === 1 ? values[0] : undefined;
      },
      address: contextOf(request).origin.address,
    };
  }

  #warn(message: string, carrier: string, details: object): void {
    const fields = { carrier, ...details };
    if (this.#repeated.isNew(`${message} ${carrier}`, fields, message))
      this.#services.log.warn(fields, message);
  }
}
