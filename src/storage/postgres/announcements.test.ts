import { afterAll, beforeAll, expect, test } from 'vitest';
import { awakeMs, pause, until } from '../../../test/harness/awake.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { createDatabase, type PostgresServer, runOn, startPostgres } from '../../../test/harness/postgres.ts';
import { Announcements } from './announcements.ts';

/** Repeats the announcement until it is heard, because one that is made while nobody is connected is lost by design. */
async function heardBy(
  heard: readonly string[],
  topic: string,
  announce: () => void,
  limitMs: number,
): Promise<void> {
  const deadline = awakeMs() + limitMs;
  while (!heard.includes(topic)) {
    if (awakeMs() > deadline) throw new Error(`${topic} was not heard within ${limitMs} ms`);
    announce();
    await pause(50);
  }
}

describePostgres('announcements between nodes', () => {
  let server: PostgresServer;
  let url: string;
  const open: Announcements[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    url = await createDatabase(server.url);
  }, 300_000);

  afterAll(async () => {
    await Promise.all(open.map((announcements) => announcements.close()));
    await server.close();
  });

  function node(): { announcements: Announcements; heard: string[]; warnings: string[] } {
    const warnings: string[] = [];
    const log = { warn: (_: object, message: string) => void warnings.push(message) };
    const announcements = new Announcements({ url, log });
    const heard: string[] = [];
    announcements.onAnnouncement((topic) => heard.push(topic));
    open.push(announcements);
    return { announcements, heard, warnings };
  }

  test('[RUN-2] Nodes receive at once what another node announces, and a burst is combined into one announcement', async () => {
    const [one, other] = [node(), node()];
    await heardBy(other.heard, 'hello', () => one.announcements.announce('hello'), 2_000);
    other.heard.length = 0;
    for (let index = 0; index < 1_000; index++) one.announcements.announce('burst');
    one.announcements.announce('last');
    await heardBy(other.heard, 'last', () => undefined, 2_000);
    expect(other.heard.filter((topic) => topic === 'burst').length).toBe(1);
  });

  test('[RUN-2] [DLV-7] Announcements are heard again after PostgreSQL was away, without a restart', async () => {
    const [one, other] = [node(), node()];
    await heardBy(other.heard, 'before', () => one.announcements.announce('before'), 2_000);
    await server.stop('immediate');
    one.announcements.announce('meanwhile');
    await until(() => one.warnings.length > 0);
    await server.start();
    await heardBy(other.heard, 'after', () => one.announcements.announce('after'), 5_000);
    await runOn(
      server.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'carillon news'",
    );
    await heardBy(other.heard, 'again', () => one.announcements.announce('again'), 5_000);
  });

  test('[RUN-4] Closing the announcements at any moment releases the connection and logs nothing more', async () => {
    const one = node();
    one.announcements.announce('never heard');
    await one.announcements.close();
    const other = node();
    await heardBy(other.heard, 'up', () => other.announcements.announce('up'), 2_000);
    await other.announcements.close();
    await pause(100);
    expect([...one.warnings, ...other.warnings]).toEqual([]);
  });
});
