/** Checks posts to webhooks and callbacks against the OpenAPI document. */
import Schema from 'typebox/schema';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import { describedPosts } from '../../src/webhooks/management/posted-bodies.ts';
import { withoutReferences } from './openapi-document.ts';

interface Post {
  readonly post: {
    readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: object } } };
  };
}

const document = openApiDocument([], { version: '1', pathPrefix: '', posts: describedPosts });
const { webhooks } = withoutReferences(
  JSON.parse(JSON.stringify(document)) as {
    readonly webhooks: Readonly<Record<string, Post>>;
  },
);
const schemas = new Map(
  Object.entries(webhooks).map(([name, { post }]) => [
    name,
    Schema.Compile(post.requestBody.content['application/json'].schema),
  ]),
);

/** The name of what was posted, with what is wrong with it in words, if anything. */
export function checkedPost(body: string): string {
  const posted = JSON.parse(body) as { readonly type?: string };
  const name = posted.type ?? 'callback';
  const schema = schemas.get(name);
  if (schema === undefined) return `${name} is not in the document`;
  return schema.Check(posted) ? name : `${name} does not fit: ${body}`;
}

/** The same for the stored data of an event. */
export function checkedData(type: string, data: string): string {
  return checkedPost(`{"type":"${type}","timestamp":"2026-11-23T07:00:00.000Z","seq":1,"data":${data}}`);
}
