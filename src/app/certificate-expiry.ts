/** Warns the operator in good time that the server's TLS certificate expires, by a daily log entry and a metric. */
import type { Clock } from '../foundation/clock.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { certificateEnd, type TlsFiles } from '../http/connections/tls-files.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

interface CertificateNeeds {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'watchCertificate'>;
  readonly log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Automatic renewals happen a month ahead; manual ones need some days. */
const warnedBeforeMs = 14 * dayMs;

export function tellCertificateEnd(
  files: TlsFiles | undefined,
  { clock, metrics, log }: CertificateNeeds,
  stack: StopStack,
): void {
  if (files === undefined) return;
  metrics.watchCertificate(() => certificateEnd(files));
  const look = () => {
    const end = certificateEnd(files);
    const leftMs = end - clock.now();
    const details = { file: files.certificateFile, ends: new Date(end).toISOString() };
    if (leftMs <= 0) log.error(details, 'the TLS certificate has expired: clients refuse it');
    else if (leftMs < warnedBeforeMs) log.warn(details, 'the TLS certificate expires soon: renew it');
  };
  const failed = (error: unknown) => log.warn({ error }, 'the expiry of the TLS certificate cannot be read');
  stack.start(new WokenLoop({ pauseMs: dayMs, firstMs: 0, failed }, look));
}
