/** The rooms of the house in the order in which each may import those before it. */
export const rooms = [
  'foundation',
  'wire',
  'storage',
  'http',
  'accounts',
  'contacts',
  'templates',
  'carriers',
  'routing',
  'messages',
  'batches',
  'email',
  'jobs',
  'callbacks',
  'provisioning',
  'smsc',
] as const;
