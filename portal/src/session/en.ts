/** The texts of signing in, in English. */
export const en = {
  signIn: 'Sign in',
  lead: 'Send messages, follow each one, and see who answered.',
  username: 'User name',
  password: 'Password',
  wrong: 'The user name or the password is wrong.',
  forgotten: 'Forgot it? Whoever runs this server makes a link that lets you in: carillon user link',
  again: 'Your session has ended',
  againLead: 'Sign in to go on. What you have typed is still there.',
  linkTitle: 'Signing you in',
  linkOver: 'This link can’t be used any more',
  linkOverLead:
    'A link works once and for half an hour. Sign in with your password, or ask for another link.',
  toSignIn: 'To sign-in',
  choose: 'Choose a password',
  chooseLead: (username: string) =>
    `You are signed in as ${username}. With a password of your own you come back at any time.`,
  newPassword: 'New password',
  passwordHint: 'At least 12 characters. A few words are easier to remember than signs, and harder to guess.',
  save: 'Save and go on',
  sendFirst: 'Send a first message',
  apiDocs: 'API documentation',
};
