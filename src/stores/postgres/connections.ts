import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';

/** What the stores of one engine share: its connections, and the names of its tables. */
export interface PostgresConnections {
  table(name: string): string;
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<Row[]>;
  transaction(work: (client: PoolClient) => Promise<void>): Promise<void>;
}
