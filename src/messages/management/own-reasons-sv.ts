/** In Swedish, what the server itself has noted as a reason; of what a carrier said there is no other wording. */

const wordings: readonly (readonly [own: RegExp, swedish: string])[] = [
  [/^(?:aborted|cancelled) by the operator$/, 'avbrutet av driften'],
  [/^(?:aborted|cancelled) by (.+)$/, 'avbrutet av $1'],
  [/^no carrier took it within its validity$/, 'ingen operatör tog det inom giltighetstiden'],
  [/^the carrier that it waited for was down$/, 'operatören som det väntade på var nere'],
  [/^the carrier that it waited for was removed$/, 'operatören som det väntade på har tagits bort'],
  [/^others had the message by then: it may have been sent twice$/, 'det kan ha skickats två gånger'],
  [/^nothing of it had been handed over$/, 'inget av det hade lämnats över'],
  [
    /^node .+ ended before the carrier's answer was stored: it may have been sent$/,
    'en server stannade innan operatörens svar hade sparats: det kan ha skickats',
  ],
  [/^the SMSC refused it: (.+)$/, 'operatören tog det inte: $1'],
];

export function ownReasonInSwedish(reason: string): string {
  const found = wordings.find(([own]) => own.test(reason));
  return found === undefined ? reason : reason.replace(...found);
}
