import { host0001 } from './0001-host.js';
import { host0002 } from './0002-outbox-refusals.js';
import { host0003 } from './0003-webhooks.js';
import { host0004 } from './0004-documents.js';
import { host0005 } from './0005-message-of-execution.js';
import { host0006 } from './0006-document-ages.js';
import { host0007 } from './0007-walked-executions.js';
import { host0008 } from './0008-kept-pages.js';

/** Migrations of the host's own schema, in order. */
export const HOST_MIGRATIONS = [
  { id: 1, name: 'host', sql: host0001 },
  { id: 2, name: 'outbox refusals', sql: host0002 },
  { id: 3, name: 'webhooks', sql: host0003 },
  { id: 4, name: 'documents', sql: host0004 },
  { id: 5, name: 'message of execution', sql: host0005 },
  { id: 6, name: 'document ages', sql: host0006 },
  { id: 7, name: 'walked executions', sql: host0007 },
  { id: 8, name: 'kept pages', sql: host0008 },
];
