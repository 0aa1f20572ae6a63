/** A time in the user's time zone; the title shows it in UTC, as carriers and logs write it. */

import { Fragment } from 'react';
import { fullTime, shortTime, utcTime } from '../words/times.ts';

export function Time({ at, full = false }: { readonly at: string; readonly full?: boolean }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={utcTime(moment)}>
      {full ? fullTime(moment) : shortTime(moment)}
    </time>
  );
}

const moment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** A sentence of the server that contains times in UTC: each time is shown in the reader's time zone. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return text.split(moment).map((piece, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which never move
    <Fragment key={place}>{place % 2 === 1 ? <Time at={piece} full /> : piece}</Fragment>
  ));
}
