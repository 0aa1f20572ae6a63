/** All tools that agents are offered, in the order in which clients list them. */
import Type from 'typebox';
import type { Api } from '../api.ts';
import { jobTools } from './job-tools.ts';
import { Previews } from './previews.ts';
import { readTools } from './read-tools.ts';
import { sendTools, token } from './send-tools.ts';
import { reads, type Tool, tool } from './tool.ts';

export function offeredTools(api: Api, isReadOnly: boolean): readonly Tool[] {
  if (isReadOnly) return readTools(api);
  const previews = new Previews();
  const outcome = tool({
    name: 'outcome',
    title: 'What became of a token',
    description:
      'Says what became of a token of `preview` or `preview_job`, and sends nothing. After `unknown_end` it looks for traces of the call at the server.',
    input: Type.Object({ token }, { additionalProperties: false }),
    annotations: reads,
    run: ({ token: given }) => previews.outcome(given),
  });
  return [...readTools(api), ...sendTools(api, previews), ...jobTools(api, previews), outcome];
}
