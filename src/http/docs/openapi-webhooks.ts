/** The posts that the service makes to its customers' servers, in the OpenAPI document. */
import type { TSchema } from 'typebox';
import type { NamedSchemas } from './openapi-components.ts';

/** One kind of post. */
export interface DescribedPost {
  /** Its key in the document. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: TSchema;
}

export interface DescribedPosts {
  readonly posts: readonly DescribedPost[];
  /** What each header of a post means, by the header's name. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the receiver's answers mean, by status, of which `default` stands for all others. */
  readonly answers: Readonly<Record<string, string>>;
}

interface Webhooks {
  readonly webhooks: object;
  readonly parameters: Readonly<Record<string, object>>;
  readonly responses: Readonly<Record<string, object>>;
}

export function describeWebhooks(
  { posts, headers, answers }: DescribedPosts,
  schemas: NamedSchemas,
): Webhooks {
  const parameters = Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const responses = Object.fromEntries(
    Object.keys(answers).map((status) => [status, { $ref: `#/components/responses/${answerName(status)}` }]),
  );
  const described = posts.map(({ name, title, description, body }) => {
    const content = { 'application/json': { schema: schemas.named(body) } };
    const post = {
      summary: title,
      description,
      // The signature takes the place of credentials.
      security: [],
      parameters,
      requestBody: { required: true, content },
      responses,
    };
    return [name, { post }] as const;
  });
  return {
    webhooks: Object.fromEntries(described),
    parameters: Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [
        name,
        { name, in: 'header', description, schema: { type: 'string' } },
      ]),
    ),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, description]) => [answerName(status), { description }]),
    ),
  };
}

function answerName(status: string): string {
  return `Receiver-${status}`;
}
