/** The texts of the pages of templates, in English. */

export const en = {
  title: 'Templates',
  lead: 'Texts that everybody in the company can send, with fields to fill in.',
  make: 'New template',
  name: 'Name',
  begins: 'Text',
  changed: 'Changed',
  by: (username: string) => `by ${username}`,
  version: (version: string) => `version ${version}`,
  managed: 'Managed by the provisioning file',
  managedText:
    'A provisioning file manages this template: it can be read and sent here, and is changed there.',
  onlyAdministrators: 'Administrators of the company change templates.',
  none: 'No templates yet',
  noneText:
    'What is written again and again is saved once, with fields such as {Text:name} for what differs.',
  text: 'Text',
  textHint:
    'What differs each time stands in curly brackets: {Text:name}, {Text:name:what it is}, {DateTime:when}.',
  fields: 'Try it',
  fieldsHint: 'Fill in what the template asks for, and see what is sent.',
  person: 'Try it with a person',
  personHint:
    'Fills in the fields that are named like what the address book knows: name, first name, phone, e-mail, or a tag.',
  forPerson: 'For',
  noFields: 'The text has no fields: it is sent as it is.',
  save: 'Save',
  saved: 'Saved',
  made: 'Made',
  remove: 'Remove',
  removed: (name: string) => `${name} is removed`,
  removeSure:
    'Remove it with all its versions? Programs that send it by its number are refused from then on.',
  cancel: 'Keep it',
  meanwhile: 'Somebody else has changed this template meanwhile. Yours is not lost: compare, and decide.',
  theirs: 'Take theirs',
  mine: 'Save mine over it',
  versions: 'Versions',
  compare: 'What changed until now',
  same: 'The text is the same.',
  restore: 'Bring it back into the editor',
  back: 'Templates',
};
