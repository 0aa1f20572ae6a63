/**
 * The notification `Webhook` of Uptime Kuma, with a JSON body: https://github.com/louislam/uptime-kuma,
 * server/notification-providers/webhook.js. Test posts, and warnings that a certificate will expire, have no heartbeat.
 */
import { boundedAlert, type ReceivedAlert, writtenTime } from '../alert.ts';
import { type Fields, fieldsOf, type SourceReader } from './reading.ts';

export const uptimeKuma: SourceReader = {
  needed: () => 'heartbeat, monitor, msg',
  read(body, { now }) {
    const post = fieldsOf(body);
    if (post === undefined || !('heartbeat' in post && 'monitor' in post)) return undefined;
    return { items: [post], alertOf: () => alertOf(post, now) };
  },
};

/** The status of a heartbeat; 2 is pending, 3 is maintenance. */
const states: readonly (readonly [number, ReceivedAlert['state']])[] = [
  [0, 'firing'],
  [1, 'resolved'],
];

function alertOf(post: Fields, now: number): ReceivedAlert | undefined {
  const { heartbeat, monitor, msg: message } = post;
  const { status, time, msg, monitorID } = fieldsOf(heartbeat) ?? {};
  const state = states.find(([known]) => known === status)?.[1];
  if (state === undefined) return undefined;
  const { id = monitorID, name, type, hostname, url, description, tags } = fieldsOf(monitor) ?? {};
  // The message of the post has the same words, but with signs that make an SMS twice as long.
  const title = [name, msg].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return boundedAlert({
    fingerprint: id,
    state,
    titles: [title, message],
    labels: { monitor: name, type, hostname, ...tagsOf(tags) },
    annotations: { msg, description },
    // UTC, such as 2024-09-24 23:51:35.527.
    startedAt: writtenTime(typeof time === 'string' ? `${time.replace(' ', 'T')}Z` : undefined, now),
    url,
  });
}

function tagsOf(tags: unknown): Fields {
  if (!Array.isArray(tags)) return {};
  return Object.fromEntries(
    tags.flatMap((item) => {
      const { name, value } = fieldsOf(item) ?? {};
      return typeof name === 'string' ? [[name, value]] : [];
    }),
  );
}
