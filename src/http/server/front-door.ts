/** Leads whoever opens the server's address in a browser to the portal. */
import type { FastifyInstance } from 'fastify';

export function addFrontDoor(app: FastifyInstance, pathPrefix: string): void {
  app.get('/', { exposeHeadRoute: true }, (_request, reply) => {
    reply.redirect(`${pathPrefix}/portal/`);
  });
}
