/** A sentence of the server in which moments stand in UTC: each is shown in the zone of whoever reads. */
import { Fragment } from 'react';
import { Time } from './time.tsx';

const moment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

export function TextWithTimes({ text }: { readonly text: string }) {
  return text.split(moment).map((piece, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which never move
    <Fragment key={place}>{place % 2 === 1 ? <Time at={piece} full /> : piece}</Fragment>
  ));
}
