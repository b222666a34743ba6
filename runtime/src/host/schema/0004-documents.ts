import { documentTables } from '../../postgres/documents.js';

/** Documents of results, until a gateway has fetched them. */
export const host0004 = documentTables('');
