/** Why a call of an endpoint may not be read at all: its credentials are in the open, or its body has a form that none has. */
import { ServiceError } from '../../foundation/errors.ts';
import type { RequestContext } from '../request-context.ts';

export function faultOfTransport({ request, origin }: RequestContext): ServiceError | undefined {
  if (!origin.isSafe) {
    return new ServiceError(
      'https_required',
      'Credentials are taken over HTTPS only. Behind a proxy that ends TLS, the operator names it in CARILLON_TRUSTED_PROXIES, and it must send X-Forwarded-Proto.',
    );
  }
  const type = request.headers['content-type'];
  if (request.method === 'POST' && type !== undefined && /^multipart\//i.test(type)) {
    return new ServiceError(
      'multipart_not_supported',
      'Multipart bodies are not supported. Send the parameters as one JSON object.',
    );
  }
  const coding = request.headers['content-encoding'];
  if (request.method === 'POST' && coding !== undefined && !isUncoded(coding)) {
    return new ServiceError(
      'content_encoding_not_supported',
      'Compressed bodies are not supported. Send the body as it is, without `Content-Encoding`.',
      { headers: { 'accept-encoding': 'identity' } },
    );
  }
  return undefined;
}

function isUncoded(contentEncoding: string): boolean {
  return contentEncoding.split(',').every((coding) => /^(?:identity)?$/i.test(coding.trim()));
}
