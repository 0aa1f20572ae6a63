/** The address book tables. They are a schema step in a separate file, because the step is long. */

/** Rows of a book have no foreign keys to each other: checking them for a million rows takes longer than writing the rows. */
export function addressBookTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE address_books (
      id BIGINT NOT NULL PRIMARY KEY,
      company_id BIGINT NOT NULL REFERENCES companies (id),
      name TEXT NOT NULL,
      UNIQUE (company_id, name)
    )`,
    `CREATE TABLE address_book_readers (
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      book_id BIGINT NOT NULL REFERENCES address_books (id) ON DELETE CASCADE,
      is_default SMALLINT NOT NULL,
      PRIMARY KEY (user_id, book_id)
    )${clustered}`,
    'CREATE INDEX address_book_readers_book ON address_book_readers (book_id)',
    // The external id identifies a person in the operator's own lists.
    `CREATE TABLE contacts (
      book_id BIGINT NOT NULL,
      id BIGINT NOT NULL,
      external_id TEXT,
      name TEXT NOT NULL,
      phone TEXT,
      email TEXT,
      app TEXT,
      PRIMARY KEY (book_id, id),
      UNIQUE (book_id, external_id)
    )${clustered}`,
    'CREATE INDEX contacts_phone ON contacts (book_id, phone) WHERE phone IS NOT NULL',
    'CREATE INDEX contacts_email ON contacts (book_id, email) WHERE email IS NOT NULL',
    // Each tag is stored once, so a contact's tag is a pair of numbers. The stored count of its contacts answers /listtags
    // and determines which part of a filter to evaluate first.
    `CREATE TABLE tags (
      book_id BIGINT NOT NULL,
      id BIGINT NOT NULL,
      type TEXT NOT NULL,
      value TEXT NOT NULL,
      contact_count BIGINT NOT NULL,
      PRIMARY KEY (book_id, id),
      UNIQUE (book_id, type, value)
    )${clustered}`,
    `CREATE TABLE contact_tags (
      book_id BIGINT NOT NULL,
      tag_id BIGINT NOT NULL,
      contact_id BIGINT NOT NULL,
      PRIMARY KEY (book_id, tag_id, contact_id)
    )${clustered}`,
    'CREATE INDEX contact_tags_contact ON contact_tags (book_id, contact_id, tag_id)',
    `CREATE TABLE saved_tag_filters (
      book_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      filter TEXT NOT NULL,
      PRIMARY KEY (book_id, name)
    )${clustered}`,
    `CREATE TABLE contact_groups (
      book_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (book_id, name)
    )${clustered}`,
    // A member is either a number or a contact by its external id.
    `CREATE TABLE group_members (
      book_id BIGINT NOT NULL,
      group_name TEXT NOT NULL,
      place INTEGER NOT NULL,
      number TEXT,
      external_id TEXT,
      PRIMARY KEY (book_id, group_name, place)
    )${clustered}`,
    'CREATE INDEX group_members_contact ON group_members (book_id, external_id) WHERE external_id IS NOT NULL',
  ];
}

/** Contacts that groups refer to by number. */
export const numbersInGroups =
  'CREATE INDEX group_members_number ON group_members (book_id, number) WHERE number IS NOT NULL';

/** Contacts whose place in a list differs by language, and contacts whose terms say nothing of that yet. */
export const contactsInLanguages: readonly string[] = [
  'CREATE INDEX contact_terms_in_en ON contact_terms (book_id, term, contact_id) WHERE is_first = 2',
  'CREATE INDEX contact_terms_in_sv ON contact_terms (book_id, term, contact_id) WHERE is_first = 3',
  'DROP INDEX contacts_without_terms',
  'CREATE INDEX contacts_without_terms ON contacts (book_id, id) WHERE has_terms < 2',
];

/** For search by name or number, for contacts managed by a file, and for undoing an import. */
export function contactSearchTables(dialect: 'sqlite' | 'postgres', clustered: string): readonly string[] {
  // Compared byte by byte on both engines, so a prefix is a range of the index.
  const term = dialect === 'postgres' ? 'TEXT COLLATE "C"' : 'TEXT';
  return [
    `CREATE TABLE contact_terms (
      book_id BIGINT NOT NULL,
      term ${term} NOT NULL,
      contact_id BIGINT NOT NULL,
      is_first SMALLINT NOT NULL,
      PRIMARY KEY (book_id, term, contact_id)
    )${clustered}`,
    'CREATE INDEX contact_terms_first ON contact_terms (book_id, term, contact_id) WHERE is_first = 1',
    // At start-up, the server adds terms for the contacts that have none.
    'ALTER TABLE contacts ADD COLUMN has_terms SMALLINT NOT NULL DEFAULT 0',
    'CREATE INDEX contacts_without_terms ON contacts (book_id, id) WHERE has_terms = 0',
    // The path of the provisioning file that names the contact. Null if none does.
    'ALTER TABLE contacts ADD COLUMN managed_by TEXT',
    'CREATE INDEX contacts_managed ON contacts (book_id, managed_by, id) WHERE managed_by IS NOT NULL',
    `CREATE TABLE contact_imports (
      book_id BIGINT NOT NULL,
      id BIGINT NOT NULL,
      at BIGINT NOT NULL,
      username TEXT NOT NULL,
      file_name TEXT NOT NULL,
      state SMALLINT NOT NULL,
      created INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      PRIMARY KEY (book_id, id)
    )${clustered}`,
    'CREATE INDEX contact_imports_time ON contact_imports (at)',
    // The contacts that an import created or changed: their previous state (null if new) and the version that the import gave
    // them.
    `CREATE TABLE contact_import_rows (
      book_id BIGINT NOT NULL,
      import_id BIGINT NOT NULL,
      contact_id BIGINT NOT NULL,
      before_json TEXT,
      version TEXT NOT NULL,
      PRIMARY KEY (book_id, import_id, contact_id)
    )${clustered}`,
  ];
}
