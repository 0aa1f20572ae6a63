/** A block of tests with two nodes that share one store, which requires PostgreSQL. */
import { afterAll, beforeAll } from 'vitest';
import { startWholeApp, type WholeApp } from './app.ts';
import { describePostgres } from './engines.ts';

export function describeTwoNodes(
  title: string,
  provisioning: string,
  tests: (nodes: { readonly first: WholeApp; readonly second: WholeApp }) => void,
): void {
  describePostgres(`${title}, two nodes on one store`, () => {
    const nodes = {} as { first: WholeApp; second: WholeApp };
    beforeAll(async () => {
      nodes.first = await startWholeApp({ engine: 'postgres', provisioning });
      nodes.second = await startWholeApp({ engine: 'postgres', besides: nodes.first });
    });
    afterAll(async () => {
      await nodes.second?.close();
      await nodes.first?.close();
    });
    tests(nodes);
  });
}
