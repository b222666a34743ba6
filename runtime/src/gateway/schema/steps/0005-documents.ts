import { documentTables } from '../../../postgres/documents.js';

/** Documents of results, for as long as their actions are kept. */
export const documents = {
  id: 5,
  name: 'documents',
  sql: documentTables('runtime.', ' REFERENCES runtime.actions ON DELETE CASCADE'),
};
