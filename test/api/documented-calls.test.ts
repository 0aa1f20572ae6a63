/** Sends what a client that only knows the OpenAPI document would send: each operation with its example, over plain HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
import { arrive, documentedCalls, prepared, sendDocumented } from '../harness/documented-calls.ts';

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.app.close());

test('[RUN-1] [CONV-2] Every call of the OpenAPI document succeeds with its documented example and a documented status', async () => {
  await arrive(demo, '46701740605', 'Hi there');
  const calls = await documentedCalls(demo);
  const failed: string[] = [];
  for (const call of calls) {
    const answer = await sendDocumented(demo, call, (await prepared[call.path]?.(demo)) ?? {});
    const isDocumented = answer.status < 300 && String(answer.status) in call.operation.responses;
    if (!isDocumented) failed.push(`${call.method} ${call.path}: ${answer.status} ${answer.text}`);
  }
  expect(failed).toEqual([]);
  expect(calls.length).toBeGreaterThan(20);
});

/** The objects that the examples name have been removed meanwhile, so only a 400 is a fault here. */
test('[CONV-2] A request body that the OpenAPI document does not require may be left out', async () => {
  const refused: string[] = [];
  for (const call of await documentedCalls(demo)) {
    const { requestBody } = call.operation;
    if (requestBody === undefined || requestBody.required === true) continue;
    const bare = { ...call, operation: { ...call.operation, requestBody: { content: {} } } };
    const answer = await sendDocumented(
      demo,
      bare,
      prepared[call.path] === undefined ? {} : { id: '1', number: '1' },
    );
    if (answer.status === 400) refused.push(`${call.method} ${call.path}: ${answer.text}`);
  }
  expect(refused).toEqual([]);
});
