/**
 * The house in the order in which it may be read: a file uses what stands before its own place here, and what stands at
 * it. A room's ground, the files of its own folder, comes before its sub-rooms; a file that puts sub-rooms together has a
 * place of its own behind them. The engine of provisioning stands behind its kinds, which it goes through.
 */
export const places = [
  'foundation',
  'yaml',
  ...['wire', 'wire/sms', 'wire/smpp', 'wire/mail'],
  ...['storage', 'storage/sqlite', 'storage/postgres'],
  ...['http', 'http/parameters', 'http/body', 'http/answers', 'http/connections', 'http/credentials'],
  ...['http/gate', 'http/endpoints', 'http/docs', 'http/server'],
  'audit',
  'accounts',
  'resources',
  ...['contacts', 'contacts/management', 'contacts/import', 'contacts/endpoints.ts'],
  'templates',
  ...['carriers', 'carriers/smpp'],
  ...['carriers/smpp/link', 'carriers/smpp/carrier', 'carriers/smpp/thread', 'carriers/provisioned'],
  'routing',
  ...['messages', 'messages/pool', 'messages/nodes', 'messages/sending', 'messages/receipts'],
  ...['messages/failover', 'messages/dispatch', 'messages/incoming'],
  ...[
    'messages/operator',
    'messages/management',
    'messages/conversations',
    'messages/phones',
    'messages/upkeep',
    'messages/delivery',
    'messages/endpoints.ts',
  ],
  ...['batches', 'batches/hours', 'batches/intake', 'batches/steps', 'batches/reading', 'batches/management'],
  'batches/endpoints.ts',
  'changes',
  ...['email/senders', 'email/management', 'email/proof', 'email/gateway', 'email/smtp', 'email/outgoing'],
  ...['webhooks', 'webhooks/outbox', 'webhooks/posting', 'webhooks/sending', 'webhooks/management'],
  ...['jobs/answers', 'jobs/job-type.ts', 'jobs/texts.ts', 'jobs/run', 'jobs'],
  'jobs/management',
  'people',
  'scheduled',
  'portal',
  ...['provisioning/objects', 'provisioning/kinds', 'provisioning'],
  'administration',
  'smsc',
  'config',
  'app',
  'commands',
  'main.ts',
] as const;

/** The rooms of the portal's pages, below `portal/src`. */
export const portalRooms = [
  'home',
  'batches',
  'compose',
  'templates',
  'messages',
  'scheduled',
  'usage',
  'keys',
  'people',
  'conversations',
  'simulator',
] as const;
