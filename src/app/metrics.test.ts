import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('[RUN-4] /metrics counts requests by path, method and status, and goes on counting after it was read', async () => {
  const { http } = createMetrics();
  const counts = async () => {
    const text = await http.text();
    return text.split('\n').filter((line) => line.startsWith('carillon_http_requests_total{'));
  };
  const send = 'carillon_http_requests_total{path="/send"';
  for (const status of [200, 400, 200]) http.request('/send', 'POST', status, 0.01);
  http.request('/send', 'GET', 200, 0.01);
  const first = [
    `${send},method="POST",status="200"} 2`,
    `${send},method="POST",status="400"} 1`,
    `${send},method="GET",status="200"} 1`,
  ];
  expect(await counts()).toEqual(first);
  expect(await counts()).toEqual(first);
  http.request('/send', 'POST', 200, 0.01);
  http.request('other', 'GET', 404, 0.01);
  expect(await counts()).toEqual([
    `${send},method="POST",status="200"} 3`,
    ...first.slice(1),
    'carillon_http_requests_total{path="other",method="GET",status="404"} 1',
  ]);
});
