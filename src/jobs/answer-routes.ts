/** The page behind the link of a mail: GET and HEAD show it and change nothing, whoever opens it; a POST answers. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { answerByLink, type FoundStanding, type LinkServices, standingBy } from './answer-by-link.ts';
import { answerPath } from './by-mail/answer-link.ts';
import { answerPage, answerPagePolicy, lostPage } from './by-mail/answer-page.ts';

const form = 'application/x-www-form-urlencoded';
/** Of what two buttons say. */
const maxBodyOctets = 1_024;

const lostStatus = { unknown: 404, expired: 410 } as const;

export function addAnswerPage(app: FastifyInstance, services: LinkServices): void {
  const show = (reply: FastifyReply, found: FoundStanding, status = 200) => {
    const [code, html] =
      found.kind === 'lost'
        ? [lostStatus[found.why], lostPage(found.why)]
        : [status, answerPage(found.standing, services.clock.now())];
    return (
      reply
        .code(code)
        .header('content-security-policy', answerPagePolicy)
        .header('cache-control', 'no-store')
        // Without a referrer browsers write `Origin: null`, which over plain HTTP is all that they say of where a form comes from.
        .header('referrer-policy', 'same-origin')
        .header('x-robots-tag', 'noindex, nofollow')
        .type('text/html; charset=utf-8')
        .send(html)
    );
  };
  app.register(async (pages) => {
    pages.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxBodyOctets }, (_, body, done) =>
      done(null, new URLSearchParams(body as string)),
    );
    // Of any length: a parameter has a bound of its own, beyond which there is no page.
    const path = `${answerPath}/*`;
    pages.get<{ Params: { '*': string } }>(path, { exposeHeadRoute: true }, async ({ params }, reply) =>
      show(reply, await standingBy(services, params['*'])),
    );
    pages.post<{ Params: { '*': string } }>(
      path,
      { bodyLimit: maxBodyOctets },
      async ({ params, body }, reply) => {
        const answer = body instanceof URLSearchParams ? body.get('answer') : undefined;
        if (answer !== 'yes' && answer !== 'no')
          return show(reply, await standingBy(services, params['*']), 400);
        const found = await answerByLink(services, params['*'], answer);
        if (found.kind === 'lost') return show(reply, found);
        // So that reloading the page sends nothing again. The link stands in its own folder.
        return reply.header('cache-control', 'no-store').redirect(params['*'], 303);
      },
    );
  });
}
