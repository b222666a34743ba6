import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { NamedError } from '../protocol/errors/named-error.js';
import { StorageUnavailable } from '../protocol/errors.js';
import { STATEMENT_TIMEOUT_MS } from '../protocol/limits.js';
import { openTimer } from '../time/timer.js';
import { connectionOf, type DatabaseAddress } from './address.js';

/** A statement with its values; a `name` makes it a prepared one. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Milliseconds that the database may take to answer, instead of those of the pool. */
  readonly timeoutMs?: number;
}

/** Rows of one statement, and how many it touched. */
export interface QueryResult<T> {
  readonly rows: T[];
  readonly rowCount: number;
}

/** What runs statements: a pool, or the one connection of a transaction. */
export interface Queryable {
  query<T extends object = Record<string, unknown>>(
    statement: string | Statement,
    values?: readonly unknown[],
  ): Promise<QueryResult<T>>;
  /** Calls the observers of `topic` once what was written so far is committed: at once outside a transaction, never when it is undone. */
  announce?(topic: string): void;
}

export interface PoolOptions {
  /** Where the database is; a function is called for each connection, so that what it gives may change. */
  readonly url: string | (() => DatabaseAddress);
  /** Most connections open at once. */
  readonly max: number;
  /** Milliseconds to wait for a free connection; default 5000 (docs/protocol/limits.md). */
  readonly acquireTimeoutMs?: number;
  /**
   * Milliseconds that the database may take to answer a statement; default 5000. Past it the connection is destroyed, since nothing more
   * comes on it in order.
   */
  readonly statementTimeoutMs?: number | undefined;
  /** What the database calls the connections; one for LISTEN has ` listen` after it. Default `aip`. */
  readonly applicationName?: string;
  /**
   * true: a statement is planned once a connection, whatever its values, instead of again for most of them. For pools whose statements
   * would be planned the same for all values; those that are large and run often then cost half. Default false.
   */
  readonly keepPlans?: boolean;
}

/**
 * A bounded set of connections to one database. Connection faults, a server that shuts down or does not answer and a wait that took too
 * long are StorageUnavailable; int8 values are numbers.
 */
export interface Pool extends Queryable {
  readonly max: number;
  readonly applicationName: string;
  /** Runs `work` in one transaction. Statements that do not wait for each other's answers travel together, in the order they were given. As with single statements, a serialization failure or deadlock runs it again, at most 4 times in all. Fails, with nothing written, when `work` hid a failed statement. */
  tx<T>(work: (client: Queryable) => Promise<T>): Promise<T>;
  /** Calls `onNotify` for each notification on the channel, on a connection of its own that is made again when it is lost, and once with an empty payload after that, for what was missed; the returned function ends it. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  /** Calls `observer` for each topic announced through this pool that is `topic`; the returned function ends it. Nothing reaches other processes. */
  observe(topic: string, observer: () => void): () => void;
  /** Open connections. */
  size(): number;
  /** Open connections that nobody uses. */
  idle(): number;
  close(): Promise<void>;
}

/**
 * Every statement here touches rows by key. Tables that fill fast are still thought empty when their plans are made and kept, and a scan
 * that was right then is wrong a minute later.
 */
const PLANNER = '-c enable_seqscan=off -c jit=off';
const KEEP_PLANS = '-c plan_cache_mode=force_generic_plan';

const INT8_OID = 20;
const ATTEMPTS = 4;
const RELISTEN_MS = 250;
/** An idle connection is kept this long, in milliseconds: what happens a few times a minute finds it open, since opening one costs more than most statements. */
const IDLE_MS = 60_000;
const RUN_AGAIN = new Set(['40001', '40P01']);
/** SQLSTATE classes of a server that cannot serve: connection, resources, operator intervention, system. */
const FAULT = /^(?:08|53|57|58|XX)/;

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? safeInteger : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the database holds the integer ${text}, which is too large to read`);
  return value;
}

/** A name for the connections of one process: that of its program, and eight digits that no other process has. */
export function connectionsName(program: string): string {
  return `${program} ${randomUUID().slice(0, 8)}`;
}

/** Opens a pool; nothing connects before the first statement. Throws for an address that must not be used. */
export function openPool(options: PoolOptions): Pool {
  const { url, max, acquireTimeoutMs = 5000, applicationName = 'aip', keepPlans = false } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const current = typeof url === 'string' ? (): DatabaseAddress => ({ url }) : url;
  const planner = keepPlans ? `${PLANNER} ${KEEP_PLANS}` : PLANNER;
  connectionOf(current());
  const pool = new pg.Pool({
    Client: clientOf(() => withOptions(connectionOf(current()), planner)),
    max,
    connectionTimeoutMillis: acquireTimeoutMs,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: statementTimeoutMs,
    application_name: applicationName,
    keepAlive: true,
    pipeline: true,
    types,
  });
  pool.on('error', () => undefined);
  // A connection that breaks while somebody holds it emits an error that the pool does not listen to; the next statement reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const acquire = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (cause) {
      throw new StorageUnavailable('the database gave no connection in time', { cause });
    }
  };
  const on =
    (client: pg.PoolClient): Queryable['query'] =>
    async <T extends object>(statement: string | Statement, values?: readonly unknown[]) => {
      const config =
        typeof statement === 'string' ? { text: statement, values: values as unknown[] } : configOf(statement);
      try {
        const result = await client.query<T>(config);
        return { rows: result.rows, rowCount: result.rowCount ?? 0 };
      } catch (error) {
        throw storageFault(error);
      }
    };
  const onceOn = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await acquire();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = error instanceof StorageUnavailable;
      throw error;
    } finally {
      client.release(broken);
    }
  };
  const observers = new Map<string, Set<() => void>>();
  const announce = (topic: string): void => {
    for (const observer of observers.get(topic) ?? []) observer();
  };
  const transaction =
    <T>(work: (client: Queryable) => Promise<T>) =>
    async (client: pg.PoolClient): Promise<T> => {
      const query = on(client);
      // Its answer is not waited for: it travels with the first statement.
      const begun = query('BEGIN');
      begun.catch(() => undefined);
      const topics = new Set<string>();
      try {
        const value = await work({ query, announce: (topic) => void topics.add(topic) });
        await begun;
        await commit(client);
        topics.forEach(announce);
        return value;
      } catch (error) {
        await query('ROLLBACK');
        throw error;
      }
    };
  return {
    max,
    applicationName,
    query: (statement, values) => repeated(() => onceOn((client) => on(client)(statement, values))),
    tx: (work) => repeated(() => onceOn(transaction(work))),
    listen: (channel, onNotify) => listen(() => connectionOf(current()), applicationName, channel, onNotify),
    announce,
    observe: (topic, observer) => {
      const known = observers.get(topic) ?? new Set();
      observers.set(topic, known.add(observer));
      return () => known.delete(observer);
    },
    size: () => pool.totalCount,
    idle: () => pool.idleCount,
    close: () => pool.end(),
  } as Pool;
}

/** A statement as the driver takes it. */
function configOf({ timeoutMs, values, ...statement }: Statement): pg.QueryConfig & { query_timeout?: number } {
  const query = { ...statement, values: values as unknown[] };
  return timeoutMs === undefined ? query : { ...query, query_timeout: timeoutMs };
}

/** A client that connects as `settings` says at that time, whatever it is given. */
function clientOf(settings: () => pg.ClientConfig): new () => pg.ClientBase {
  return class extends pg.Client {
    constructor(given?: pg.ClientConfig) {
      super({ ...given, ...settings() });
    }
  };
}

/** A connection with further server options: those in the address, which alone would count there, and ours. */
function withOptions(connection: pg.ClientConfig, options: string): pg.ClientConfig {
  const url = connection.connectionString as string;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const given = address?.searchParams.get('options') ?? null;
  if (!address || given === null) return { ...connection, options };
  address.searchParams.delete('options');
  return { ...connection, connectionString: address.href, options: `${given} ${options}` };
}

/** A transaction in which a statement failed is undone by its COMMIT, without an error of its own. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error) => {
    throw storageFault(error);
  });
  if (command !== 'COMMIT')
    throw new NamedError('a statement of the transaction failed; nothing of it was written', {
      name: 'TransactionUndone',
    });
}

/** Runs work again that lost against a concurrent transaction; nothing of it was written. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !RUN_AGAIN.has(sqlState(error) ?? '')) throw error;
    }
  }
}

async function listen(
  connection: () => pg.ClientConfig,
  applicationName: string,
  channel: string,
  onNotify: (payload: string) => void,
) {
  let closed = false;
  let client: pg.Client | undefined;
  const again = openTimer(() => connect(true));
  const connect = async (reconnected: boolean): Promise<void> => {
    if (closed) return;
    const next = new pg.Client({
      ...connection(),
      application_name: `${applicationName} listen`,
      keepAlive: true,
    });
    client = next;
    let lost = false;
    const relisten = (): void => {
      if (lost || closed) return;
      lost = true;
      next.end().catch(() => undefined);
      again.restart(RELISTEN_MS);
    };
    next.on('error', relisten);
    next.on('end', relisten);
    next.on('notification', (message) => onNotify(message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (reconnected) onNotify('');
    } catch {
      relisten();
    }
  };
  await connect(false);
  return async () => {
    closed = true;
    again.stop();
    await client?.end().catch(() => undefined);
  };
}

function sqlState(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}

/** A fault of the connection or server becomes StorageUnavailable; what is wrong with a statement stays what it is. */
function storageFault(error: unknown): unknown {
  // Only what the server sent has a SQLSTATE; EPIPE of a cut connection has the same form.
  const ofStatement = error instanceof pg.DatabaseError && !FAULT.test(error.code ?? '');
  return ofStatement || error instanceof RangeError
    ? error
    : new StorageUnavailable('the database cannot be reached', { cause: error });
}
