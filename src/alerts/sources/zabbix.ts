/**
 * What the script of our media type for Zabbix posts (docs/integrations.md): the parameters of the media type, whose values are
 * macros. Zabbix calls it for a problem, its recovery and each update; {EVENT.ID} is the problem's in all three.
 * https://www.zabbix.com/documentation/7.0/en/manual/appendix/macros/supported_by_location
 */
import { boundedAlert, plausibleTime, type ReceivedAlert } from '../alert.ts';
import { type Fields, fieldsOf, type SourceReader } from './reading.ts';

export const zabbix: SourceReader = {
  needed: () => 'event_id, event_value',
  read(body, { now }) {
    const post = fieldsOf(body);
    const { event_id, event_value } = post ?? {};
    return post !== undefined && isText(event_id) && isText(event_value)
      ? { items: [post], alertOf: () => alertOf(post, now) }
      : undefined;
  },
};

function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function alertOf(post: Fields, now: number): ReceivedAlert | undefined {
  const { event_id, event_value, event_update_status, event_tags, event_timestamp, url, ...rest } = post;
  const value = String(event_value);
  // An update is a comment, or an acknowledgement such as our own.
  if (value !== '0' && (value !== '1' || String(event_update_status) === '1')) return undefined;
  const { host, name } = rest;
  return boundedAlert({
    fingerprint: event_id,
    state: value === '0' ? 'resolved' : 'firing',
    titles: [typeof host === 'string' && typeof name === 'string' ? `${host}: ${name}` : name, host],
    labels: { ...rest, ...tagsOf(event_tags) },
    startedAt: plausibleTime(Number(event_timestamp) * 1_000, now),
    url,
  });
}

/** {EVENT.TAGSJSON} is a text that contains JSON. */
function tagsOf(given: unknown): Fields {
  const tags = typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(tags)) return {};
  return Object.fromEntries(
    tags.flatMap((item) => {
      const { tag, value } = fieldsOf(item) ?? {};
      return typeof tag === 'string' ? [[tag, value]] : [];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
